import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { brotliDocumentOf, type Documents, documentOf } from '../../../read/exchange/document.ts'
import { preferredCoding } from '../../../read/exchange/negotiation.ts'
import { matchesTag, type Reply } from '../../../read/exchange/reply.ts'
import type { ApiRequest } from '../../../read/exchange/request.ts'
import { methodNotAllowed, type Refusal } from '../../../read/refusal.ts'

const OPENAPI = new URL('../../../../openapi.json', import.meta.url)
const SCALAR = new URL('../../../../assets/scalar/', import.meta.url)

const FRESH = { 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' }
/** For a path that contains its content's hash. */
const FOREVER = { ...FRESH, 'cache-control': 'public, max-age=31536000, immutable' }
const SCRIPT = 'text/javascript; charset=utf-8'

/** The address that `description.md` has in its example. */
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

function readDescription({ apiUrl, exampleUrl, contact }: ServerDescription): Buffer {
  const described = JSON.parse(readFileSync(OPENAPI, 'utf8')) as {
    info: { description: string; contact: { email?: string; url?: string } }
    servers: { url: string }[]
  }
  const { info, servers } = described
  if (exampleUrl !== '') info.description = info.description.replaceAll(EXAMPLE_HOST, exampleUrl)
  if (contact !== null) info.contact[URL.canParse(contact) ? 'url' : 'email'] = contact
  for (const server of servers) server.url = apiUrl + server.url
  return Buffer.from(`${JSON.stringify(described, null, 2)}\n`)
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
  const { sha256 } = JSON.parse(readFileSync(new URL('SOURCE.json', SCALAR), 'utf8')) as {
    sha256: string
  }
  const scalarTag = sha256.slice(0, 16)
  const scalarPath = `/docs/scalar-${scalarTag}.js`
  const scalar = brotliDocumentOf({ ...FOREVER, 'content-type': SCRIPT }, scalarTag, () =>
    readFile(new URL('standalone.js.br', SCALAR)),
  )
  const start = documentOf({ ...FOREVER, 'content-type': SCRIPT }, Buffer.from(START_SCRIPT))
  const startPath = `/docs/start-${start.tag}.js`
  const page = documentOf(
    {
      ...FRESH,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': PAGE_POLICY,
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    },
    Buffer.from(referencePage(scalarPath, startPath)),
  )
  const openapi = documentOf(
    { ...FRESH, 'content-type': 'application/json; charset=utf-8' },
    readDescription(about),
  )
  return new Map([
    ['/openapi.json', openapi],
    ['/docs', page],
    ['/docs/', page],
    [scalarPath, scalar],
    [startPath, start],
  ])
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

/** The parts of the reference page around Scalar. */

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0f766e"/><path d="M7 22V10h3v12zm15 0V10h3v12zM10 12h12v3H10zm0 5h12v3H10z" fill="#fff"/></svg>`

/** `bundle` and `start` are the paths of the two scripts. */
function referencePage(bundle: string, start: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="Reference of the Fleetgate API: read-only access to the data of a fleet.">
<meta name="color-scheme" content="light dark">
<title>Fleetgate API reference</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}">
</head>
<body>
<noscript>This page needs JavaScript. The description it shows is at <a href="/openapi.json">/openapi.json</a>.</noscript>
<div id="reference"></div>
<script src="${bundle}"></script>
<script src="${start}"></script>
</body>
</html>
`
}

const STYLE = `
.light-mode, .dark-mode {
  --scalar-font: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  --scalar-font-code: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
.light-mode { --scalar-color-accent: #0f766e; --scalar-background-accent: #0f766e14; }
.dark-mode { --scalar-color-accent: #2dd4bf; --scalar-background-accent: #2dd4bf1a; }
.section:focus-visible { outline: none; }
.scalar-code-block pre, .scalar-code-block pre *, .markdown pre, .markdown pre * {
  width: auto !important;
  white-space: pre-wrap !important;
  overflow-wrap: anywhere;
}
`

/** Everything that would contact another host is off. The page's policy would refuse it too. */
const CONFIGURATION = {
  url: '/openapi.json',
  theme: 'default',
  customCss: STYLE,
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true, hideAddApi: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'direct',
  modelsSectionLabel: 'Schemas',
  persistAuth: false,
  authentication: { preferredSecurityScheme: 'apiKey' },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
}

/**
 * Scalar shows the example of another media type than JSON if an answer has several, so the page leaves the others out.
 * The text of each answer names them.
 */
const START_SCRIPT = `
async function readDescription(...request) {
  const answer = await fetch(...request)
  if (!answer.ok || !answer.url.endsWith('/openapi.json')) return answer
  const description = await answer.json()
  for (const { get } of Object.values(description.paths)) {
    const success = get.responses[200]
    success.content = { 'application/json': success.content['application/json'] }
  }
  return Response.json(description)
}
const configuration = ${JSON.stringify(CONFIGURATION)}
Scalar.createApiReference('#reference', { ...configuration, fetch: readDescription })
`

/**
 * Only this host, and scripts only from its own files. Scalar sets styles on elements, so inline styles
 * are allowed.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
