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

let documents: ReadonlyMap<string, Document> | undefined

/** The description and the reference page by their paths. Reads its files on first use. */
export function documentation(): ReadonlyMap<string, Document> {
  documents ??= readDocuments()
  return documents
}

function readDocuments(): ReadonlyMap<string, Document> {
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
    readFileSync(OPENAPI),
  )
  return new Map([
    ['/openapi.json', openapi],
    ['/docs', page],
    ['/docs/', page],
    [scalarPath, scalar],
    [startPath, start],
  ])
}
