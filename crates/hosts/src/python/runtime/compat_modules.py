"""Ghostpad's module names, mapped to our implementations."""

import os
from importlib.machinery import ModuleSpec

# The modules of services and the names they export, besides types.
SERVICES = {
    "services.kv_store_service": ["kv_store", "KVStoreService"],
    "services.persona_service": ["persona_service", "PersonaService"],
    "services.ai_service": ["ai_service", "AIService"],
    "services.log_service": ["logger"],
    "utils.tool_utils": ["create_system_message_in_conversation", "replace_message_placeholders"],
    "openai": ["OpenAI", "AsyncOpenAI", "OpenAIError", "chat"],
}
# Older and shorter names of these modules.
ALIASES = {
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
# Modules with types only.
TYPE_MODULES = {
    "services.tool_service", "services.types", "services.tool_types", "utils.types",
    "utils.tool_types", "utils.response_context", "utils.type_definitions", "core.types",
    "core.tool_types", "core.models", "core.type_definitions", "tool_types", "_core.error_types",
    "utils.tool_definitions", "core.tools", "tools.types", "tools.tool_types", "tools.models",
    "utils.ui_types", "services.ui_service",
}  # fmt: skip
# All modules below these contain types only.
TYPE_ROOTS = ("models", "schemas", "type_definitions")
PACKAGES = ("services", "utils", "core", "_core", "ghostpad")
CONSTANTS = {
    "ERROR_NO_OPENAI_API_KEY": "No model is configured",
    "ERROR_PERSONA_NOT_FOUND": "Persona not found",
}


def find(plain, name, root):
    """The spec of a compatibility module; None if it is not one."""
    plain = plain.removeprefix("ghostpad.") or plain
    module_name = ALIASES.get(plain, plain)
    if name in TYPE_MODULES:
        return ModuleSpec(name, CompatModule(name), is_package=True)
    if module_name in SERVICES or module_name == "utils.constants" or is_type_module(module_name):
        return ModuleSpec(name, CompatModule(module_name), is_package=True)
    if module_name in PACKAGES:
        return ModuleSpec(name, CompatModule(module_name), is_package=True)
    if module_name.partition(".")[0] == "services" and not os.path.exists(
        os.path.join(root, module_name.replace(".", "/") + ".py")
    ):
        provided = ", ".join(sorted(held for held in SERVICES if held.startswith("services.")))
        raise ModuleNotFoundError(f"there is no `{module_name}`; provided are {provided}", name=name)
    return None


def is_type_module(module_name):
    return module_name in TYPE_MODULES or module_name.partition(".")[0] in TYPE_ROOTS


class CompatModule:
    """Loads a module from a list of names."""

    def __init__(self, module_name):
        self.module_name = module_name

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        import ghosthand

        module.__dict__.update(ghosthand.TYPES)
        if self.module_name == "utils.constants":
            module.__dict__.update(CONSTANTS)
        names = SERVICES.get(self.module_name, [])
        if names:
            import ghosthand_services

            module.__dict__.update({name: getattr(ghosthand_services, name) for name in names})
        module_name = self.module_name

        def missing(name):
            if name.startswith("__"):
                raise AttributeError(name)
            offered = ", ".join([*names, *ghosthand.TYPES])
            raise AttributeError(f"`{module_name}` has no `{name}`; it has {offered}")

        module.__getattr__ = missing
