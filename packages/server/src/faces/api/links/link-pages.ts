import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { type Document, documentOf } from '../../../read/exchange/document.ts'

/** The languages of the page of a link. */
export const PAGE_LANGUAGES = ['en', 'de', 'es'] as const
type PageLanguage = (typeof PAGE_LANGUAGES)[number]

type ByLanguage = Readonly<Record<PageLanguage, Document>>

export type LinkPages = {
  /** The page of a link, which reads the data that it shows. It is the same for all links. */
  readonly live: ByLanguage
  /** The page of every link that has ended, and of every wrong one. */
  readonly ended: ByLanguage
  /** The files of the map, by name. Empty if the console was not built: the page then has no map. */
  readonly files: ReadonlyMap<string, Document>
}

const ASSETS = new URL('../../../../assets/link/', import.meta.url)
const ICON = new URL('../../../../assets/reference/icon.svg', import.meta.url)
/** The part of the built console that the page imports. */
const MAP_ENTRY = 'src/link/link-map.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
}

/** Reads the pages on first use. `console`: the folder of the built console. */
export function openLinkPages(console: string): () => LinkPages {
  let pages: LinkPages | undefined
  return () => {
    pages ??= readPages(console)
    return pages
  }
}

function readPages(console: string): LinkPages {
  const map = mapFiles(console)
  const style = part('page.css')
  const script = part('page.js')
  const live = `default-src 'none'; script-src 'self' ${hashOf(script)}; worker-src 'self' blob:; style-src 'self' ${hashOf(style)}; img-src 'self' data: blob:; connect-src 'self'; ${CLOSED}`
  const ended = `default-src 'none'; style-src ${hashOf(style)}; img-src data:; ${CLOSED}`
  const icon = encodeURIComponent(readFileSync(ICON, 'utf8').trim())
  return {
    files: map.files,
    live: byLanguage((language, texts) => {
      const settings = JSON.stringify({ language, texts, map: map.entry }).replaceAll(
        '<',
        '\\u003c',
      )
      const parts = {
        style: `<style>${style}</style>`,
        settings: `<script type="application/json" id="settings">${settings}</script>`,
        code: `<script type="module">${script}</script>`,
      }
      return pageOf(filled('page.html', { ...texts, icon, ...parts }), language, live)
    }),
    ended: byLanguage((language, texts) => {
      const values = { ...texts, icon, style: `<style>${style}</style>` }
      return pageOf(filled('ended.html', values), language, ended)
    }),
  }
}

const CLOSED = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const part = (name: string) => readFileSync(new URL(name, ASSETS), 'utf8')

function byLanguage(
  make: (language: PageLanguage, texts: Readonly<Record<string, string>>) => Document,
): ByLanguage {
  const all = PAGE_LANGUAGES.map((each) => [
    each,
    make(each, JSON.parse(part(`texts/${each}.json`))),
  ])
  return Object.fromEntries(all)
}

/** A part in which `{name}` is replaced by the value of that name. */
function filled(name: string, values: Readonly<Record<string, string>>): string {
  return part(name).replaceAll(/\{(\w+)\}/g, (_, key) => values[key]!)
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

function pageOf(html: string, language: PageLanguage, policy: string): Document {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-language': language,
    'content-security-policy': policy,
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  }
  const spoken = html.replace('<html lang="en">', `<html lang="${language}">`)
  return documentOf(headers, Buffer.from(spoken))
}

/** A chunk of the built console (https://vite.dev/guide/backend-integration). */
type Chunk = {
  readonly file: string
  readonly css?: readonly string[]
  readonly assets?: readonly string[]
  readonly imports?: readonly string[]
}

/** The files that the map needs, and nothing else of the console. `entry`: its script and its styles. */
function mapFiles(console: string) {
  const manifest = join(console, '.vite/manifest.json')
  const files = new Map<string, Document>()
  if (!existsSync(manifest)) return { files, entry: null }
  const chunks = JSON.parse(readFileSync(manifest, 'utf8')) as Record<string, Chunk>
  const styles = new Set<string>()
  const add = (path: string) => {
    const headers = {
      'content-type': TYPES[extname(path)] ?? 'application/octet-stream',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    }
    files.set(basename(path), documentOf(headers, readFileSync(join(console, path))))
  }
  const addChunk = (name: string) => {
    const { file, css = [], assets = [], imports = [] } = chunks[name]!
    if (files.has(basename(file))) return
    for (const path of [file, ...css, ...assets]) add(path)
    for (const path of css) styles.add(basename(path))
    for (const other of imports) addChunk(other)
  }
  addChunk(MAP_ENTRY)
  return { files, entry: { script: basename(chunks[MAP_ENTRY]!.file), styles: [...styles] } }
}
