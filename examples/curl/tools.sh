#!/usr/bin/env bash
# The model calls a tool, and then answers from its result. A program would run the tool between the two requests.
set -eu

chat() {
  curl --silent --show-error --fail-with-body --write-out '\n' "${BASE_URL:-http://127.0.0.1:1337}/v1/chat/completions" \
    --header 'Content-Type: application/json' --data "$1"
}

tools='[{
  "type": "function",
  "function": {
    "name": "get_weather",
    "description": "The current weather of a city",
    "parameters": {
      "type": "object",
      "properties": { "city": { "type": "string" } },
      "required": ["city"]
    }
  }
}]'

question='{ "role": "user", "content": "What is the weather in Lisbon?" }'

# The call is in choices[0].message.tool_calls.
chat '{ "model": "pico", "temperature": 0, "messages": ['"$question"'], "tools": '"$tools"' }'

# The next request repeats the call and adds its result. Both have the same id.
call='{
  "role": "assistant",
  "content": null,
  "tool_calls": [{
    "id": "call_1",
    "type": "function",
    "function": { "name": "get_weather", "arguments": "{\"city\": \"Lisbon\"}" }
  }]
}'
result='{ "role": "tool", "tool_call_id": "call_1", "content": "{\"temperature\": 18, \"condition\": \"sunny\"}" }'

chat '{
  "model": "pico",
  "temperature": 0,
  "messages": ['"$question, $call, $result"'],
  "tools": '"$tools"'
}'
