import { readFileSync } from 'node:fs'

/**
 * A test with one of these needs a process of its own: a module of Node that reaches beyond the process, a server, a
 * contract that takes long, a started process, a value of the whole process, measured time, or a hook of the file that
 * would run for every file.
 */
const ALONE = [
  /'node:(?!(assert\/strict|crypto|events|fs|fs\/promises|http|https|net|os|path|sqlite|stream|stream\/consumers|test|tls|url|util|zlib)')/,
  /'[^']*(harness|servers\/(?!shared-)|-contract\.ts|spawned|compose)\b[^']*'/,
  /\b(process|performance|globalThis|mock)\b *[.(]/,
  /\b(import|fetch|setTimeout|setInterval|configureGlobal)\(/,
  /^(before|beforeEach|afterEach)\(/m,
]

/** A test with one of these, and none of the above, opens and closes files, sockets or stores. */
const OPENS = [
  /'node:(?!(assert\/strict|crypto|stream|test|util|zlib)')/,
  /'[^']*(servers|stores|-contract)\b[^']*\.ts'/,
  /\b(before|after|beforeEach|afterEach)\(/,
]

/** Where a test file runs: in a process of its own, or with others, which saves the start of one. */
export type Sharing = 'alone' | 'computing' | 'opening' | 'on one server' | 'in one browser'

/**
 * A test that computes only shares a process with its like, and so does one that opens and closes parts, and one that
 * uses a shared server, or the browser.
 */
export function sharingOf(file: string): Sharing {
  const source = readFileSync(file, 'utf8')
  const matches = (reason: RegExp) => reason.test(source)
  if (/harness\/browser\.ts'/.test(source)) return 'in one browser'
  if (/\bshared(Fleet|Console)\(/.test(source)) return 'on one server'
  if (ALONE.some(matches)) return 'alone'
  return OPENS.some(matches) ? 'opening' : 'computing'
}
