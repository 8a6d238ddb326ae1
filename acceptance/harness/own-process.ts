import { readFileSync } from 'node:fs'

/**
 * A test with one of these needs a process of its own: a module of Node that reaches beyond the process, a server,
 * store or started process, a value of the whole process, measured time, or a hook, which would run for every file.
 */
const REASONS = [
  /'node:(?!(assert\/strict|crypto|stream|test|util|zlib)')/,
  /'[^']*(harness|servers|stores|-contract|spawned|compose)\b[^']*\.ts'/,
  /\b(process|performance|globalThis|mock)\b *[.(]/,
  /\b(import|fetch|setTimeout|setInterval|configureGlobal|before|after|beforeEach|afterEach)\(/,
]

/** Where a test file runs: in a process of its own, or with others, which saves the start of one. */
export type Sharing = 'alone' | 'computing' | 'on one server' | 'in one browser'

/**
 * A test that computes only shares a process with its like, and so does one that uses a shared server, or the
 * browser.
 */
export function sharingOf(file: string): Sharing {
  const source = readFileSync(file, 'utf8')
  if (/harness\/browser\.ts'/.test(source)) return 'in one browser'
  if (/\bshared(Fleet|Console)\(/.test(source)) return 'on one server'
  return REASONS.some((reason) => reason.test(source)) ? 'alone' : 'computing'
}
