#!/usr/bin/env bash
# A reply that is JSON of this schema. A grammar made of the schema constrains the model.
set -eu

curl --silent --show-error --fail-with-body --write-out '\n' "${BASE_URL:-http://127.0.0.1:1337}/v1/chat/completions" \
  --header 'Content-Type: application/json' \
  --data '{
    "model": "pico",
    "temperature": 0,
    "messages": [{ "role": "user", "content": "Turn the light in the bedroom on." }],
    "response_format": {
      "type": "json_schema",
      "json_schema": {
        "name": "light",
        "strict": true,
        "schema": {
          "type": "object",
          "properties": {
            "room": { "type": "string", "enum": ["kitchen", "bedroom", "bathroom"] },
            "on": { "type": "boolean" }
          },
          "required": ["room", "on"],
          "additionalProperties": false
        }
      }
    }
  }'
