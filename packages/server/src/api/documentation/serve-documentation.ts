import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { brotliDocumentOf, type Document, documentOf } from './document.ts'
import { PAGE_POLICY, referencePage, START_SCRIPT } from './reference-page.ts'

const OPENAPI = new URL('../../../openapi.json', import.meta.url)
const SCALAR = new URL('../../../assets/scalar/', import.meta.url)

const FRESH = { 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' }
/** For a path that contains its content's hash. */
const FOREVER = { ...FRESH, 'cache-control': 'public, max-age=31536000, immutable' }
const SCRIPT = 'text/javascript; charset=utf-8'

/** The address that `description.md` has in its example. */
const EXAMPLE_HOST = 'https://your-host'

type Documents = ReadonlyMap<string, Document>
const documents = new Map<string, Documents>()

/**
 * The description and the reference page by their paths. Reads its files on first use. `apiUrl`: the
 * API's address without its prefix. Empty if unknown.
 */
export function documentation(apiUrl = ''): Documents {
  const known = documents.get(apiUrl) ?? readDocuments(apiUrl)
  documents.set(apiUrl, known)
  return known
}

/** Without an address, the description as it is: its servers are relative to the page. */
function readDescription(apiUrl: string): Buffer {
  const file = readFileSync(OPENAPI)
  if (apiUrl === '') return file
  const described = JSON.parse(file.toString()) as {
    info: { description: string }
    servers: { url: string }[]
  }
  const { info, servers } = described
  info.description = info.description.split(EXAMPLE_HOST).join(apiUrl)
  for (const server of servers) server.url = apiUrl + server.url
  return Buffer.from(JSON.stringify(described, null, 2))
}

function readDocuments(apiUrl: string): Documents {
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
    readDescription(apiUrl),
  )
  return new Map([
    ['/openapi.json', openapi],
    ['/docs', page],
    ['/docs/', page],
    [scalarPath, scalar],
    [startPath, start],
  ])
}
