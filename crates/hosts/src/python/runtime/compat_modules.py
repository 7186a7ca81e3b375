"""Where Ghostpad's tools find things: its module names, and what stands behind each here."""

import os
from importlib.machinery import ModuleSpec

# Every service, with the names it goes by. What else is asked of these modules are types.
SERVICES = {
    "services.kv_store_service": ["kv_store", "KVStoreService"],
    "services.persona_service": ["persona_service", "PersonaService"],
    "services.ai_service": ["ai_service", "AIService"],
    "services.log_service": ["logger"],
    "utils.tool_utils": ["create_system_message_in_conversation", "replace_message_placeholders"],
    "openai": ["OpenAI", "AsyncOpenAI", "OpenAIError", "chat"],
}
# Older and shorter names of the same modules.
SAME = {
    "core.tool_utils": "utils.tool_utils",
    "services.tool_utils": "utils.tool_utils",
    "services.kv_store": "services.kv_store_service",
    "services.kv_service": "services.kv_store_service",
    "utils.kv_store": "services.kv_store_service",
    "core.kv_store": "services.kv_store_service",
    "services.personas": "services.persona_service",
    "services.ai": "services.ai_service",
    "services.logger": "services.log_service",
    "utils.logger": "services.log_service",
}
# Only types are in these.
TYPE_HOMES = {
    "services.tool_service", "services.types", "services.tool_types", "utils.types",
    "utils.tool_types", "utils.response_context", "utils.type_definitions", "core.types",
    "core.tool_types", "core.models", "core.type_definitions", "tool_types", "_core.error_types",
    "utils.tool_definitions", "core.tools", "tools.types", "tools.tool_types", "tools.models",
    "utils.ui_types", "services.ui_service",
}  # fmt: skip
# Everything below these is a home of types.
TYPE_ROOTS = ("models", "schemas", "type_definitions")
PACKAGES = ("services", "utils", "core", "_core", "ghostpad")
CONSTANTS = {
    "ERROR_NO_OPENAI_API_KEY": "No model is configured",
    "ERROR_PERSONA_NOT_FOUND": "Persona not found",
}


def find(plain, name, root):
    """The spec of one of our modules; None if it is not ours."""
    plain = plain.removeprefix("ghostpad.") or plain
    home = SAME.get(plain, plain)
    if name in TYPE_HOMES:
        return ModuleSpec(name, Home(name), is_package=True)
    if home in SERVICES or home == "utils.constants" or is_type_home(home):
        return ModuleSpec(name, Home(home), is_package=True)
    if home in PACKAGES:
        return ModuleSpec(name, Home(home), is_package=True)
    if home.partition(".")[0] == "services" and not os.path.exists(
        os.path.join(root, home.replace(".", "/") + ".py")
    ):
        provided = ", ".join(sorted(held for held in SERVICES if held.startswith("services.")))
        raise ModuleNotFoundError(f"there is no `{home}`; provided are {provided}", name=name)
    return None


def is_type_home(home):
    return home in TYPE_HOMES or home.partition(".")[0] in TYPE_ROOTS


class Home:
    """Makes a module out of a list of names."""

    def __init__(self, home):
        self.home = home

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        import ghosthand

        module.__dict__.update(ghosthand.TYPES)
        if self.home == "utils.constants":
            module.__dict__.update(CONSTANTS)
        names = SERVICES.get(self.home, [])
        if names:
            import ghosthand_services

            module.__dict__.update({name: getattr(ghosthand_services, name) for name in names})
        home = self.home

        def missing(name):
            if name.startswith("__"):
                raise AttributeError(name)
            offered = ", ".join([*names, *ghosthand.TYPES])
            raise AttributeError(f"`{home}` has no `{name}`; it has {offered}")

        module.__getattr__ = missing
