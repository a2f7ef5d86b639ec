// Templates that no model has, with marks that nobody uses.

const BEGIN = `{% for message in messages %}<~{{ message.role }}~>{% if message.reasoning_content %}((ponder{{ message.reasoning_content }}ponder)){% endif %}{{ message.content }}`;
const END = '<~over~>\n{% endfor %}{% if add_generation_prompt %}<~assistant~>{% endif %}';
const TOOLS_SHOWN = '{% for tool in tools %}{{ tool.function | tojson }}{% endfor %}';

/** Each argument has marks of its own. */
export const TAGGED = `${TOOLS_SHOWN}${BEGIN}{% if message.tool_calls %}<~deeds~>
{% for call in message.tool_calls %}<~deed of="{{ call.function.name }}"~>
{% for key, value in call.function.arguments.items() %}<~with {{ key }}~>{{ value if value is string else value | tojson }}<~/with~>
{% endfor %}<~/deed~>
{% endfor %}<~/deeds~>{% endif %}${END}`;

/** The name is a mark, the arguments are JSON. */
export const MARKED = `${TOOLS_SHOWN}${BEGIN}{% for call in message.tool_calls or [] %}[[DO {{ call.function.name }}]]{{ call.function.arguments | tojson }}[[DONE]]{% endfor %}${END}`;

/** Calls are JSON with keys of their own. */
export const KEYED = `${TOOLS_SHOWN}${BEGIN}{% if message.tool_calls %}<~acts~>[{% for call in message.tool_calls %}{"act": "{{ call.function.name }}", "input": {{ call.function.arguments | tojson }}}{% if not loop.last %}, {% endif %}{% endfor %}]<~/acts~>{% endif %}${END}`;

/** The template shows neither tools nor calls. */
export const NO_CALLS = `${BEGIN}${END}`;
