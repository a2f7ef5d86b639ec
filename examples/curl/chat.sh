#!/usr/bin/env bash
# A reply, whole.
set -eu

curl --silent --show-error --fail-with-body --write-out '\n' "${BASE_URL:-http://127.0.0.1:1337}/v1/chat/completions" \
  --header 'Content-Type: application/json' \
  --data '{
    "model": "pico",
    "messages": [{ "role": "user", "content": "What can you do?" }]
  }'
