TOOLS = [
    {
        "schema": {"name": "balance_widget", "description": "Balance display"},
        "ui_feature": {
            "id": "user_balance",                   # Unique widget ID
            "label": "Balance",                     # Display label
            "kv_key": "user_balance",              # KV store key for data
            "type": "widget",                       # UI type
            "widget_config": {
                "type": "text",                     # Widget type
                "format_options": {
                    "max_length": 20,
                    "truncate": True,
                    "text": {
                        "prefix": "$",              # Show as "$1000"
                        "color": "green"
                    }
                }
            }
        }
    }
]
