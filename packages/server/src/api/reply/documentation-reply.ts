import type { Documents } from '../documentation/serve-documentation.ts'
import { methodNotAllowed, type Refusal } from '../refusal.ts'
import { preferredCoding } from '../request/coding.ts'
import type { ApiRequest } from '../request/request.ts'
import { matchesTag, type Reply } from './reply.ts'

/**
 * The description or a file of the reference page, if the request asks for one. They lie outside the
 * prefix, so that every endpoint under the prefix requires a key.
 */
export async function documentationReply(
  documents: () => Documents,
  request: ApiRequest,
): Promise<Reply | Refusal | undefined> {
  const { target, method } = request
  if (!target.startsWith('/docs') && !target.startsWith('/openapi.json')) return undefined
  const question = target.indexOf('?')
  const document = documents().get(question === -1 ? target : target.slice(0, question))
  if (document === undefined) return undefined
  if (method !== 'GET' && method !== 'HEAD') return methodNotAllowed('GET, HEAD')
  const headers = [
    ...Object.entries(document.headers).flat(),
    'ETag',
    `W/"${document.tag}"`,
    'Vary',
    'Accept-Encoding',
  ]
  if (matchesTag(request.ifNoneMatch, document.tag)) {
    return { status: 304, headers, body: undefined, close: false }
  }
  const coding = preferredCoding(request.acceptEncoding)
  if (coding !== undefined) headers.push('Content-Encoding', coding)
  return { status: 200, headers, body: await document.body(coding), isCoded: true, close: false }
}
