# tools/settings_manager.py
from services.kv_store_service import kv_store
from typing import Dict, Any, Optional

async def save_settings_handler(
    params: Dict[str, Any], 
    metadata: Optional[ToolMetadata] = None
) -> UIHandlerResponse:
    """
    Handle settings form submission.
    
    Args:
        params: {"username": "john", "email": "john@example.com", "theme": "dark"}
        metadata: Execution context
    
    Returns:
        UI response with success/error state
    """
    username = params.get("username", "").strip()
    email = params.get("email", "").strip()
    theme = params.get("theme", "light")
    
    # Validation
    if not username:
        return {
            "success": False,
            "error": "Username is required"
        }
    
    if "@" not in email:
        return {
            "success": False, 
            "error": "Invalid email address"
        }
    
    try:
        # Save settings
        await kv_store.set("user_username", username)
        await kv_store.set("user_email", email)
        await kv_store.set("user_theme", theme)
        
        return {
            "success": True,
            "message": "Settings saved successfully",
            "clear_inputs": [],  # Don't clear inputs to preserve values
            "refresh_components": ["settings_table"],
            "close_modal": True
        }
        
    except Exception as e:
        return {
            "success": False,
            "error": f"Failed to save settings: {str(e)}"
        }

TOOLS = [
    {
        "schema": {"name": "settings_ui", "description": "User settings interface"},
        "ui_feature": {
            "id": "settings_modal",
            "type": "ui_v1",
            "label": "Settings",
            "icon": "Settings",
            "layout": {
                "type": "modal",
                "size": "md",
                "title": "User Settings",
                "components": [
                    # Display current settings in a table
                    {
                        "id": "settings_table",
                        "type": "table_display",
                        "data_source": {
                            "type": "persona_properties",
                            "key": "settings",
                            "include_user": True
                        },
                        "props": {
                            "height": "150px",
                            "show_refresh": True,
                            "columns": [
                                {"key": "name", "label": "Setting", "format": "text"},
                                {"key": "value", "label": "Value", "format": "text"}
                            ]
                        }
                    },
                    
                    # Form section header
                    {
                        "id": "form_header",
                        "type": "html_renderer",
                        "data_source": {
                            "type": "value",
                            "value": "<h3>Update Settings</h3>"
                        }
                    },
                    
                    # Username input (loads current value from KV store)
                    {
                        "id": "username_input",
                        "type": "text_input",
                        "data_source": {"type": "kv_store", "key": "user_username"},
                        "props": {
                            "placeholder": "Enter username",
                            "max_length": 50
                        }
                    },
                    
                    # Email input
                    {
                        "id": "email_input", 
                        "type": "text_input",
                        "data_source": {"type": "kv_store", "key": "user_email"},
                        "props": {
                            "placeholder": "Enter email address",
                            "width": "100%"
                        }
                    },
                    
                    # Theme selector using persona selector as dropdown
                    {
                        "id": "theme_selector",
                        "type": "persona_selector",
                        "props": {
                            "placeholder": "Select theme",
                            "include_user": False
                        }
                    },
                    
                    # Action buttons
                    {
                        "id": "save_button",
                        "type": "button",
                        "props": {
                            "label": "Save Settings", 
                            "variant": "primary",
                            "size": "md"
                        },
                        "actions": [
                            {
                                "type": "tool_submit",
                                "trigger": "click", 
                                "target": "save_settings",
                                "params": {
                                    "username": "username_input",
                                    "email": "email_input",
                                    "theme": "theme_selector"
                                }
                            }
                        ]
                    }
                ]
            }
        },
        "ui_handlers": {
            "save_settings": save_settings_handler
        }
    }
]
