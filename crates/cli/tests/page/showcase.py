"""One form with every component, widgets with every option, and what else a page must show."""

from services.kv_store_service import kv_store

KV = {"kv": ["showcase-"]}


def key(part, conversation_id):
    return f"showcase-{part}-{conversation_id}"


async def send(text: str, conversation_id=None) -> str:
    await kv_store.rpush(key("sent", conversation_id), text)
    return f"Sent: {text}"


async def paint(html: str, conversation_id=None) -> str:
    await kv_store.set(key("html", conversation_id), html)
    return "Painted."


async def flip(open: bool, conversation_id=None) -> str:
    await kv_store.set(key("open", conversation_id), open)
    return "Flipped."


async def is_open(conversation_id=None) -> bool:
    return bool(await kv_store.get(key("open", conversation_id)))


async def save(params, metadata):
    conversation = metadata["conversation_id"]
    told = {name: value for name, value in params.items() if name != "conversation_id"}
    await kv_store.set(key("told", conversation), str(sorted(told.items())))
    await kv_store.rpush(key("list", conversation), params["words"])
    await kv_store.set(key("coins", conversation) + "-user", params["number"])
    return {
        "success": True,
        "message": "All was saved.",
        "clear_inputs": ["words"],
        "refresh_components": ["table"],
    }


async def fail(params, metadata):
    return {"success": False, "error": "This button never works."}


async def leave(params, metadata):
    return {"success": True, "close_modal": True}


async def cheer(params, metadata):
    conversation = metadata["conversation_id"]
    await kv_store.set(key("share", conversation), 90)
    return {"success": True, "message": "Hooray."}


async def grumble(params, metadata):
    return {"success": False, "error": "Not today."}


def submit(target, **params):
    return [{"type": "tool_submit", "trigger": "click", "target": target, "params": params}]


def button(name, label, variant, size, target, **params):
    return {"id": name, "type": "button", "props": {"label": label, "variant": variant, "size": size},
            "actions": submit(target, **params)}


def kept(part):
    return {"type": "kv_store", "key": f"showcase-{part}-{{conversation_id}}"}


COMPONENTS = [
    {"id": "head", "type": "html_renderer", "data_source": {"type": "value", "value": "<h3>All of them</h3>"}},
    {"id": "live", "type": "html_renderer", "data_source": kept("html"),
     "props": {"use_iframe": True, "title": "Live HTML", "style": {"border-radius": "8px"}}},
    {"id": "words", "type": "text_input", "data_source": kept("words"),
     "props": {"label": "Words", "placeholder": "Some words", "max_length": 12, "width": "60%",
               "submit_target": "save"}},
    {"id": "essay", "type": "textarea_input", "data_source": {"type": "value", "value": "Once"},
     "props": {"placeholder": "An essay", "rows": 2, "min_height": "70px", "show_ai_edit": True,
               "ai_edit_label": "Improve", "submit_target": "save"}},
    {"id": "number", "type": "number_input", "data_source": {"type": "value", "value": 4},
     "props": {"placeholder": "A number", "min": 1, "max": 9, "step": 0.5, "width": 120}},
    {"id": "shut", "type": "text_input", "props": {"placeholder": "Shut", "disabled": True}},
    {"id": "who", "type": "persona_selector", "props": {"placeholder": "Who", "include_user": True}},
    button("save", "Save all", "default", "md", "save",
           words="words", essay="essay", number="number", who="who", fixed="as it is"),
    button("fail", "Fail", "destructive", "sm", "fail"),
    button("leave", "Leave", "ghost", "lg", "leave"),
    button("outline", "Outline", "outline", "md", "fail"),
    button("primary", "Primary", "primary", "md", "fail"),
    button("secondary", "Secondary", "secondary", "md", "fail"),
    button("danger", "Danger", "danger", "md", "fail"),
    {"id": "list", "type": "list_display", "data_source": {**kept("list"), "fetch_window": 2},
     "props": {"height": "160px", "show_clear": True, "show_delete_per_item": True,
               "placeholder": "The list is empty"}},
    {"id": "table", "type": "table_display",
     "data_source": {"type": "persona_properties", "key": "showcase-coins-{conversation_id}",
                     "include_user": True},
     "props": {"height": "140px", "show_refresh": True, "placeholder": "Nobody has coins",
               "columns": [{"key": "name", "label": "Name", "format": "text"},
                           {"key": "value", "label": "Coins", "format": "currency"}]}},
    {"id": "inner", "type": "modal", "props": {"label": "Open the inner one"},
     "layout": {"type": "modal", "size": "sm", "title": "Inside",
                "components": [{"id": "deep", "type": "text_input", "props": {"placeholder": "Deep"}}]}},
    {"id": "load", "type": "library_loader",
     "data_source": {"type": "library", "library_type": "essays", "target_component_id": "essay"}},
    {"id": "keep", "type": "library_saver",
     "data_source": {"type": "library", "library_type": "essays", "content_source_id": "essay"}},
    {"id": "shelf", "type": "library_manager",
     "data_source": {"type": "library", "library_type": "essays", "target_component_id": "essay"}},
    {"id": "odd", "type": "hologram"},
]


def form(name, label, layout):
    return {"id": name, "type": "ui_v1", "label": label, "icon": "Sparkles", "layout": layout}


def widget(name, label, part, config):
    return {"id": name, "type": "widget", "label": label, "kv_key": f"showcase-{part}-{{conversation_id}}",
            "widget_config": config}


def text_options(**options):
    return {"type": "text", "format_options": {"text": options}}


SHARE = {"type": "percent", "max_value_key": "showcase-whole-{conversation_id}",
         "format_options": {"percent": {"show_value": True, "color_scheme": "health"}}}


def shown(name, feature, **more):
    return {"schema": {"name": name, "description": f"Shows {name}"}, "version": "1.0.0",
            "capabilities": KV, "ui_feature": feature, **more}


def tool(name, function, description, field, **more):
    return {"function": function, "capabilities": KV, "version": "1.0.0", **more,
            "schema": {"name": name, "description": description,
                       "parameters": {"type": "object", "properties": field, "required": list(field)}}}


HANDLERS = {"save": save, "fail": fail, "leave": leave}
TEXT = {"type": "string", "description": "The text."}

TOOLS = [
    tool("send", send, "Send a text to everybody.", {"text": TEXT}, requires_confirmation=True),
    tool("paint", paint, "Paint a picture of HTML.", {"html": TEXT}),
    tool("flip", flip, "Open or close the shop.", {"open": {"type": "boolean", "description": "Open?"}}),
    shown("form", form("all", "Everything", {"type": "modal", "size": "lg", "title": "Everything",
                                             "components": COMPONENTS}), ui_handlers=HANDLERS),
    shown("cheer", form("cheer", "Cheer", {"type": "instant"}), ui_handlers={"cheer": cheer}),
    shown("grumble", form("grumble", "Grumble", {"type": "instant"}), ui_handlers={"grumble": grumble}),
    shown("shop", form("shop", "Shop", {"type": "modal", "title": "Shop", "components": []}),
          condition=is_open),
    shown("sign", widget("sign", "Sign", "sign",
                         text_options(max_length=5, truncate=True, prefix="<", suffix=">", color="red"))),
    shown("banner", widget("banner", "Banner", "banner",
                           {"type": "text", "format_options": {"max_length": 3, "truncate": False}})),
    shown("share", widget("share", "Share", "share", SHARE)),
    shown("bag", {**widget("bag", "Bag", "bag", {}), "type": "badge_panel"}),
    shown("purse", {**widget("purse", "Purse", "purse", {}), "type": "currency"}),
    shown("load", widget("load", "Load", "load",
                         {"type": "percent", "max_value": 50,
                          "format_options": {"percent": {"show_value": False, "color": "blue"}}})),
]
