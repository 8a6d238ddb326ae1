import { createHash } from 'node:crypto'

/** What a server does in one go, and the name by which it knows it. */
export type Script = { readonly text: string; readonly sha: string }

/**
 * A script over the keys of one organization. The server's time is `now`, in microseconds; after the
 * deadline, its first argument, it does nothing: what waited in a server that stood still is not done
 * late, when nobody waits for it. Replies with `now`, whether it was in time, and what the body returns.
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
