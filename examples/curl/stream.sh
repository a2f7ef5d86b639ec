#!/usr/bin/env bash
# A reply as server-sent events, one chunk at a time. --no-buffer makes curl print each when it comes.
set -eu

curl --silent --show-error --fail-with-body --no-buffer "${BASE_URL:-http://127.0.0.1:1337}/v1/chat/completions" \
  --header 'Content-Type: application/json' \
  --data '{
    "model": "pico",
    "messages": [{ "role": "user", "content": "What can you do?" }],
    "stream": true,
    "stream_options": { "include_usage": true }
  }'
