-- Reviews for wrk, as the API server sends them: each object to the mutating path, then to the validating one.
-- Arguments: file with one review a line, mutating path, validating path. In a review, @N@ becomes a number that no
-- other request of this run has.
local pairs_of, paths, index, sent = {}, {}, 0, 0

function init(args)
  math.randomseed(os.time())
  paths = { args[2], args[3] }
  for line in io.lines(args[1]) do
    local pieces, at = {}, 1
    while true do
      local from, to = string.find(line, "@N@", at, true)
      if not from then break end
      pieces[#pieces + 1] = string.sub(line, at, from - 1)
      at = to + 1
    end
    pieces[#pieces + 1] = string.sub(line, at)
    pairs_of[#pairs_of + 1] = pieces
  end
  wrk.headers["Content-Type"] = "application/json"
  run = os.time() % 100000 * 10000
end

function request()
  local half = sent % 2
  if half == 0 then index = index % #pairs_of + 1 end
  local body = table.concat(pairs_of[index], tostring(run + math.floor(sent / 2)))
  sent = sent + 1
  return wrk.format("POST", paths[half + 1] .. "?timeout=5s", nil, body)
end

function done(summary, latency)
  io.write(string.format(
    '{"requests":%d,"microseconds":%d,"failed":%d,"p50":%.1f,"p99":%.1f}\n',
    summary.requests, summary.duration,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.status + summary.errors.timeout,
    latency:percentile(50), latency:percentile(99)))
end
