-- Names the conversation of a request, so that all its turns go to the replica that has their beginning in its KV cache.
--
-- The name is the first of these that the request has:
--   1. `prompt_cache_key` in the body
--   2. a header of a session: `session_id`, `x-session-id`
--   3. the first message of the user, or the beginning of the prompt
-- Without any of them there is no name, and the request goes to any replica.
--
-- The body may be cut: HAProxy keeps as much of it as fits its buffer (tune.bufsize). So this reads only as far as it must.

local SESSION_HEADERS = { 'session_id', 'x-session-id' }

-- Bytes of a message or a prompt that tell conversations apart. Agents begin with long texts that many of theirs share.
local LONGEST_BEGINNING = 16384

-- Bytes of a prompt that is one text. It grows at its end, so that only the beginning stays the same.
local PROMPT_BEGINNING = 512

-- Where the string that begins at `at` ends; nil if the text ends before.
local function end_of_string(text, at)
  local position = at + 1
  while true do
    local found = text:find('["\\]', position)
    if not found then return nil end
    if text:sub(found, found) == '"' then return found end
    position = found + 2
  end
end

-- Where the object, list or string that begins at `at` ends; nil if the text ends before.
local function end_of_value(text, at)
  local depth = 0
  local position = at
  while true do
    local found = text:find('["%[%]{}]', position)
    if not found then return nil end
    local character = text:sub(found, found)
    if character == '"' then
      found = end_of_string(text, found)
      if not found then return nil end
    elseif character == '{' or character == '[' then
      depth = depth + 1
    else
      depth = depth - 1
    end
    if depth <= 0 then return found end
    position = found + 1
  end
end

-- The first element of a list that is the user's, or all before it that is there.
local function first_of_user(text, list)
  local position = list + 1
  while true do
    local start = text:find('%S', position)
    if not start then return nil end
    local character = text:sub(start, start)
    if character == ',' then
      position = start + 1
    elseif character ~= '{' and character ~= '"' then
      return nil
    else
      local finish = end_of_value(text, start)
      local element = text:sub(start, math.min(finish or #text, start + LONGEST_BEGINNING - 1))
      if not finish or character == '"' or element:find('"role"%s*:%s*"user"') then return element end
      position = finish + 1
    end
  end
end

-- The beginning of the conversation in the members `messages` (chats), `input` (responses) or `prompt` (completions).
local function beginning(body)
  for _, member in ipairs({ 'messages', 'input', 'prompt' }) do
    local _, start = body:find('"' .. member .. '"%s*:%s*[%["]')
    if start and body:sub(start, start) == '[' then return first_of_user(body, start) end
    if start then return body:sub(start + 1, math.min(end_of_string(body, start) or #body, start + PROMPT_BEGINNING)) end
  end
  return nil
end

-- Paths whose requests have no conversation: any replica can answer them.
local function has_conversation(path)
  return path:find('/chat') or path:find('/completions') or path:find('/messages') or path:find('/responses') or path:find('/generate')
end

-- Sets txn.conversation. Without a name it stays unset: an empty one would send all such requests to one replica.
core.register_action('name_conversation', { 'http-req' }, function(txn)
  local path = txn.f:path()
  if not path or not has_conversation(path) then return end
  local body = txn.f:req_body() or ''
  local name = body:match('"prompt_cache_key"%s*:%s*"([^"]+)"')
  for _, header in ipairs(SESSION_HEADERS) do
    local value = txn.f:req_hdr(header)
    if not name and value and value ~= '' then name = value end
  end
  name = name or beginning(body)
  if name then txn:set_var('txn.conversation', name) end
end)
