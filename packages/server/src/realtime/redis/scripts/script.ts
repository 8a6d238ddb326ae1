import { createHash } from 'node:crypto'

/** A script text and its SHA-1. */
export type Script = { readonly text: string; readonly sha: string }

/**
 * A script over the keys of one organization. `now` is the server's time in microseconds. After the
 * deadline, its first argument, the script does nothing, because its caller no longer waits. Replies with
 * `now`, whether it ran in time, and the result of the body.
 */
export function script(...parts: string[]): Script {
  const text = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
if now > tonumber(ARGV[1]) then return { now, 0 } end
${parts.slice(0, -1).join('\n')}
local function body()
${parts.at(-1)}
end
return { now, 1, body() }
`
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}
