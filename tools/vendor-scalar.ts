import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'

/** Copies the browser bundle of a version of `@scalar/api-reference` to `assets/scalar/`. */
const PACKAGE = '@scalar/api-reference'
const BUNDLE = 'package/dist/browser/standalone.js'
const assets = new URL('../packages/server/assets/scalar/', import.meta.url)

const version = process.argv[2]
if (version === undefined || !/^\d+\.\d+\.\d+$/.test(version)) {
  console.error(`Give a version of ${PACKAGE}, such as 1.72.1.`)
  process.exitCode = 2
} else {
  const folder = mkdtempSync(join(tmpdir(), 'scalar-'))
  try {
    take(version, folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function take(version: string, folder: string): void {
  const packing = ['pack', `${PACKAGE}@${version}`, '--json', '--pack-destination', folder]
  const [packed] = JSON.parse(execFileSync('npm', packing, { encoding: 'utf8' })) as [
    { filename: string; integrity: string },
  ]
  execFileSync('tar', ['-xzf', join(folder, packed.filename), '-C', folder, BUNDLE])
  const bundle = readFileSync(join(folder, BUNDLE))
  const sha256 = createHash('sha256').update(bundle).digest('hex')
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: bundle.length,
  }
  const source = { package: PACKAGE, version, integrity: packed.integrity, file: BUNDLE, sha256 }
  writeFileSync(new URL('standalone.js.br', assets), brotliCompressSync(bundle, { params }))
  writeFileSync(new URL('SOURCE.json', assets), `${JSON.stringify(source, null, 2)}\n`)
}
