"""A small battle: meet an enemy, attack it, heal or run away.

What can be done depends on how things stand: only who is hurt can heal, and only who has an
enemy can fight. The health widgets follow, and `Punch` and `Heal` act at one click.
"""

import random

from services.kv_store_service import kv_store
from utils.tool_utils import create_system_message_in_conversation

HEALTH_MAX = 20
INN_HEALTH = 8
ATTACK = (2, 6)
PUNCH = (1, 3)
HEALING = (4, 8)
# Health, and the least and the most that it strikes for.
ENEMIES = {
    "goblin": (10, 1, 3),
    "wolf": (12, 1, 4),
    "troll": (18, 2, 6),
    "dragon": (30, 3, 9),
}


class Battle:
    """How things stand in one conversation."""

    def __init__(self, conversation_id):
        self.conversation_id = conversation_id

    def key(self, part):
        return f"battle-{part}-{self.conversation_id}"

    async def get(self, part, otherwise=None):
        return await kv_store.get(self.key(part), otherwise)

    async def set(self, part, value):
        await kv_store.set(self.key(part), value)

    async def enemy(self):
        return await self.get("enemy")

    async def health(self):
        return await self.get("health", HEALTH_MAX)

    async def set_health(self, health):
        await self.set("health_max", HEALTH_MAX)
        await self.set("health", max(0, min(HEALTH_MAX, health)))

    async def set_enemy(self, enemy):
        health = ENEMIES[enemy][0]
        await self.set("enemy_health_max", health)
        await self.set("enemy_health", health)
        await self.set("enemy", enemy)

    async def enemy_leaves(self):
        for part in ("enemy", "enemy_health", "enemy_health_max"):
            await kv_store.delete(self.key(part))

    async def strike(self, verb, least, most):
        """One blow, and the enemy's answer."""
        enemy = await self.enemy()
        damage = random.randint(least, most)
        left = await self.get("enemy_health", 0) - damage
        if left <= 0:
            await self.enemy_leaves()
            await self.set("wins", await self.get("wins", 0) + 1)
            return f"You {verb} the {enemy} for {damage}. It is beaten!"
        await self.set("enemy_health", left)
        told = f"You {verb} the {enemy} for {damage}; it has {left} left."
        return f"{told} {await self.struck_back(enemy)}"

    async def struck_back(self, enemy):
        _, least, most = ENEMIES[enemy]
        damage = random.randint(least, most)
        left = await self.health() - damage
        if left <= 0:
            await self.enemy_leaves()
            await self.set_health(INN_HEALTH)
            fall = f"It strikes back for {damage}, and you fall."
            return f"{fall} You wake up at the inn with {INN_HEALTH} health."
        await self.set_health(left)
        return f"It strikes back for {damage}; you have {left} left."

    async def mend(self):
        before = await self.health()
        await self.set_health(before + random.randint(*HEALING))
        return f"You heal from {before} to {await self.health()} of {HEALTH_MAX}."


async def has_enemy(conversation_id=None) -> bool:
    return await Battle(conversation_id).enemy() is not None


async def has_no_enemy(conversation_id=None) -> bool:
    return not await has_enemy(conversation_id)


async def is_hurt(conversation_id=None) -> bool:
    return await Battle(conversation_id).health() < HEALTH_MAX


async def meet_enemy(enemy: str, conversation_id=None) -> str:
    battle = Battle(conversation_id)
    if await battle.enemy() is not None:
        return f"The {await battle.enemy()} is still there; one enemy at a time."
    await battle.set_health(await battle.health())
    await battle.set_enemy(enemy)
    strength = f"It has {ENEMIES[enemy][0]} health, you have {await battle.health()}."
    return f"A {enemy} steps into the way. {strength}"


async def attack(conversation_id=None) -> str:
    return await Battle(conversation_id).strike("hit", *ATTACK)


async def heal(conversation_id=None) -> str:
    return await Battle(conversation_id).mend()


async def run_away(conversation_id=None) -> str:
    battle = Battle(conversation_id)
    enemy = await battle.enemy()
    await battle.enemy_leaves()
    return f"You run. The {enemy} gives up behind the first hill."


async def punch_at_once(params, metadata):
    """The button `Punch`. What happened is told in the conversation, so that the model knows."""
    battle = Battle(metadata["conversation_id"])
    if await battle.enemy() is None:
        return {"success": False, "error": "There is nobody to punch."}
    return await done(await battle.strike("punch", *PUNCH), metadata)


async def heal_at_once(params, metadata):
    battle = Battle(metadata["conversation_id"])
    if await battle.health() >= HEALTH_MAX:
        return {"success": False, "error": "You are not hurt."}
    return await done(await battle.mend(), metadata)


async def done(told, metadata):
    await create_system_message_in_conversation(told, metadata["conversation_id"])
    return {"success": True, "message": told}


async def status(conversation_id=None) -> str:
    battle = Battle(conversation_id)
    you = f"you have {await battle.health()} of {HEALTH_MAX} health"
    enemy = await battle.enemy()
    if enemy is None:
        return f"{you}; no enemy; {await battle.get('wins', 0)} beaten so far"
    health, most = await battle.get("enemy_health", 0), await battle.get("enemy_health_max", 0)
    return f"{you}; the {enemy} has {health} of {most}"


def tool(name, function, description, properties=None, **more):
    parameters = {"type": "object", "properties": properties or {}, "required": list(properties or {})}
    schema = {"name": name, "description": description, "parameters": parameters}
    return {"function": function, "schema": schema, "capabilities": {"kv": ["battle-"]},
            "version": "1.0.0", **more}


def health_widget(name, label, part, **more):
    feature = {
        "id": name,
        "type": "widget",
        "label": label,
        "kv_key": f"battle-{part}-{{conversation_id}}",
        "widget_config": {
            "type": "percent",
            "max_value_key": f"battle-{part}_max-{{conversation_id}}",
            "format_options": {"percent": {"show_value": True, "color_scheme": "health"}},
        },
    }
    return {"schema": {"name": name, "description": f"{label} in the battle"}, "version": "1.0.0",
            "capabilities": {"kv": ["battle-"]}, "ui_feature": feature, **more}


def instant(name, label, icon, handler, condition):
    feature = {"id": name, "type": "ui_v1", "label": label, "icon": icon, "layout": {"type": "instant"}}
    return {"schema": {"name": name, "description": f"{label} at one click"}, "version": "1.0.0",
            "capabilities": {"kv": ["battle-"]}, "condition": condition,
            "ui_feature": feature, "ui_handlers": {name: handler}}


ENEMY = {"type": "string", "description": "Who steps into the way.", "enum": list(ENEMIES)}

TOOLS = [
    tool("meet_enemy", meet_enemy, "Begin a battle: meet an enemy to fight or attack, such as a goblin.",
         {"enemy": ENEMY}, condition=has_no_enemy),
    tool("attack", attack, "Attack the enemy of the battle: hit or fight the goblin, wolf, troll or dragon.",
         condition=has_enemy),
    tool("heal", heal, "Heal your wounds and get health back.", condition=is_hurt),
    tool("run_away", run_away, "Run away from the enemy and flee the battle.", condition=has_enemy),
    health_widget("your_health", "Your health", "health", report_status=status),
    health_widget("enemy_health", "Enemy", "enemy_health", condition=has_enemy),
    instant("punch", "Punch", "HandFist", punch_at_once, has_enemy),
    instant("heal_now", "Heal", "Heart", heal_at_once, is_hurt),
]
