import { matchesTag } from './conditional.ts'
import type { Answer } from './operation.ts'
import { JSON_TYPE, NO_SNIFFING, type Reply } from './reply.ts'
import type { ApiRequest } from './request.ts'

/** A 200, or the 304 that replaces it if the client has the same body already (RFC 9110, 15.4.5). */
export function answerReply(
  answer: Answer,
  headers: string[],
  request: ApiRequest,
): Reply | Promise<Reply> {
  const { tag, next, body, bytes } = answer
  headers.push('Cache-Control', 'private, no-cache', 'Vary', 'Accept-Encoding', ...NO_SNIFFING)
  if (tag !== undefined) {
    headers.push('ETag', `W/"${tag}"`)
    if (matchesTag(request.ifNoneMatch, tag)) {
      return { status: 304, headers, body: undefined, close: false }
    }
  }
  if (next !== undefined) headers.push('Link', `<${next}>; rel="next"`)
  headers.push('Content-Type', JSON_TYPE)
  const reply = { status: 200, headers, close: false }
  // Do not await a value that is there.
  return typeof body === 'function'
    ? body().then((made) => ({ ...reply, body: made }))
    : { ...reply, body, bytes }
}
