#!/usr/bin/env bash
# The vectors of two texts. pico makes none: the first argument is the id of an embedding model.
set -eu

model=${1:?'Give the id of an embedding model. "paddock list" tells the ids.'}

curl --silent --show-error --fail-with-body --write-out '\n' "${BASE_URL:-http://127.0.0.1:1337}/v1/embeddings" \
  --header 'Content-Type: application/json' \
  --data '{
    "model": "'"$model"'",
    "input": ["A horse grazes in the paddock.", "The stock market fell."]
  }'
