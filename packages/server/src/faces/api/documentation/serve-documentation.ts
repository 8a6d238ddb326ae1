import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import {
  brotliDocumentOf,
  type Document,
  type Documents,
  documentOf,
} from '../../../read/exchange/document.ts'
import { preferredCoding } from '../../../read/exchange/negotiation.ts'
import { matchesTag, type Reply } from '../../../read/exchange/reply.ts'
import type { ApiRequest } from '../../../read/exchange/request.ts'
import { methodNotAllowed, type Refusal } from '../../../read/refusal.ts'
import { referenceHtml } from './reference-html.ts'
import type { Description } from './reference-text.ts'

const OPENAPI = new URL('../../../../openapi.json', import.meta.url)
const SCALAR = new URL('../../../../assets/scalar/', import.meta.url)
const REFERENCE = new URL('../../../../assets/reference/', import.meta.url)

const FRESH = { 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' }
/** For a path that contains its content's hash. */
const FOREVER = { ...FRESH, 'cache-control': 'public, max-age=31536000, immutable' }
const SCRIPT = 'text/javascript; charset=utf-8'

/** The address in the example of `description.md`. */
const EXAMPLE_HOST = 'https://your-host'

/** The parts of the description that depend on the server. */
export type ServerDescription = {
  /** The API's address without its prefix, as the operator gave it. Empty: relative to the description. */
  readonly apiUrl: string
  /** The same address for the example. Empty if unknown. */
  readonly exampleUrl: string
  /** An e-mail address or a URL. */
  readonly contact: string | null
}

/** The description with the server's own parts, and the base URL of its operations for examples. */
function readDescription({ apiUrl, exampleUrl, contact }: ServerDescription) {
  const description = JSON.parse(readFileSync(OPENAPI, 'utf8')) as Description
  const { info, servers } = description
  const host = exampleUrl === '' ? EXAMPLE_HOST : exampleUrl
  const api = host + servers[0]!.url
  info.description = info.description.replaceAll(EXAMPLE_HOST, host)
  if (contact !== null) info.contact[URL.canParse(contact) ? 'url' : 'email'] = contact
  for (const server of servers) server.url = apiUrl + server.url
  return { description, api }
}

/**
 * The description and the reference page by their paths. Asks for the server's description and reads the files
 * on first use.
 */
export function openDocuments(describe: () => ServerDescription): () => Documents {
  let documents: Documents | undefined
  return () => {
    documents ??= readDocuments(describe())
    return documents
  }
}

function readDocuments(about: ServerDescription): Documents {
  const { description, api } = readDescription(about)
  const { sha256 } = JSON.parse(readFileSync(new URL('SOURCE.json', SCALAR), 'utf8')) as {
    sha256: string
  }
  const scalarTag = sha256.slice(0, 16)
  const scalarPath = `/docs/scalar-${scalarTag}.js`
  const scalar = brotliDocumentOf({ ...FOREVER, 'content-type': SCRIPT }, scalarTag, () =>
    readFile(new URL('standalone.js.br', SCALAR)),
  )
  const start = documentOf({ ...FOREVER, 'content-type': SCRIPT }, Buffer.from(part('try.js')))
  const startPath = `/docs/try-${start.tag}.js`
  const icon = encodeURIComponent(part('icon.svg').trim())
  const style = part('page.css')
  const page = pageOf(
    [`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`],
    filled('page.html', {
      ...referenceHtml(description, api),
      icon,
      style: `<style>${style}</style>`,
    }),
  )
  const trial = pageOf(
    // Scalar sets styles on elements.
    ["script-src 'self'", "style-src 'self' 'unsafe-inline'", "connect-src 'self'"],
    filled('try.html', { icon, scalar: scalarPath, start: startPath }),
  )
  const openapi = documentOf(
    { ...FRESH, 'content-type': 'application/json; charset=utf-8' },
    Buffer.from(`${JSON.stringify(description, null, 2)}\n`),
  )
  return new Map([
    ['/openapi.json', openapi],
    ['/docs', page],
    ['/docs/', page],
    ['/docs/try', trial],
    [scalarPath, scalar],
    [startPath, start],
  ])
}

/** A part of the pages, as it is in the repository. */
const part = (name: string) => readFileSync(new URL(name, REFERENCE), 'utf8')

/** A part in which `{name}` is replaced by the value of that name. */
function filled(name: string, values: Readonly<Record<string, string>>): string {
  return part(name).replaceAll(/\{(\w+)\}/g, (_, key) => values[key]!)
}

/** A page that loads only from this host, and only what the rules allow. */
function pageOf(rules: readonly string[], html: string): Document {
  const policy = [
    "default-src 'none'",
    ...rules,
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]
  return documentOf(
    {
      ...FRESH,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy.join('; '),
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    },
    Buffer.from(html),
  )
}

/**
 * The description or a file of the reference page, if the request asks for one. They are outside the
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
