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

export type Documents = ReadonlyMap<string, Document>

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
