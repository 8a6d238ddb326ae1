import { RATE_WINDOW } from '../../../access/rate-window.ts'

/** Digits of a time in microseconds, until the year 2286. */
const DIGITS = 16
/**
 * A log lives slightly longer than its last admission counts, because Redis reads its clock for expiry
 * less often.
 */
const KEPT_LONGER_MS = 1_000

/**
 * `admit(key)` is the exact sliding log of `access/rate-window.ts`: the times of the last admissions, 16
 * digits each. If the clock was set back, later times count as now and are stored so: nobody is refused
 * for longer than a span. Returns whether the request is admitted, how many remain, and the microseconds
 * until the next slot is free.
 */
export function slidingLog({ requests, spanUs }: { requests: number; spanUs: number }): string {
  return `
local function admit(key)
  local log = redis.call('GET', key) or ''
  local kept, turned = {}, false
  for i = 1, #log, ${DIGITS} do
    local at = tonumber(string.sub(log, i, i + ${DIGITS - 1}))
    if at > now then at, turned = now, true end
    if at > now - ${spanUs} then kept[#kept + 1] = at end
  end
  local admitted = #kept < ${requests}
  if admitted then kept[#kept + 1] = now end
  if admitted or turned then
    local moments = {}
    for i, at in ipairs(kept) do moments[i] = string.format('%0${DIGITS}.0f', at) end
    redis.call('SET', key, table.concat(moments), 'PX', ${spanUs / 1_000 + KEPT_LONGER_MS})
  end
  return admitted and 1 or 0, ${requests} - #kept, kept[1] + ${spanUs} - now
end
`
}

export const WINDOW = slidingLog(RATE_WINDOW)
