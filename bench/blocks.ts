/**
 * Measures the blocks of positions (`docs/blocks.md`): bytes of a position by rows of a block, by column and by
 * compression, compared with Parquet; bytes and processor time of a data folder before and after it is packed. Prints
 * tables in Markdown. Run: `node blocks.ts [fleet]`
 */
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { constants, zstdCompressSync } from 'node:zlib'
import { encodeBlock } from '../packages/server/src/data/positions/block.ts'
import { type BlockColumns, COLUMNS } from '../packages/server/src/data/positions/block-columns.ts'
import { NO_TEXTS } from '../packages/server/src/data/positions/column-bytes.ts'
import { columnsOf } from '../packages/server/src/data/positions/rows-to-columns.ts'
import type { PositionRow } from '../packages/server/src/engine/tracking/stored-position.ts'
import { CORPORA, type Corpus, readCorpus } from './block-corpora.ts'
import { columnName } from './block-names.ts'
import { parquetBytes } from './block-parquet.ts'
import { measureStore } from './packed-store.ts'
import { given, progress } from './report.ts'

const SIZES = [64, 200, 500, 1_000]
/** The size for all that is not measured by size. */
const SIZE = 500
const NO_ATTRIBUTES = () => []
const OWNER = { organization: 1, object: 100_000 }

const COMPRESSIONS = {
  none: (body: Uint8Array) => body,
  'Zstandard 3': level(3),
  'Zstandard 19': level(19),
}

function level(of: number) {
  const params = { [constants.ZSTD_c_compressionLevel]: of }
  return (body: Uint8Array) => zstdCompressSync(body, { params, pledgedSrcSize: body.length })
}

for (const name of given.length > 0 ? given : Object.keys(CORPORA)) {
  progress(`${name}: folding`)
  const corpus = await readCorpus(name)
  const rows = corpus.objects.reduce((sum, each) => sum + each.length, 0)
  print(`### ${name}: ${rows.toLocaleString('en')} positions of ${corpus.objects.length} objects\n`)
  printSizes(corpus)
  printColumns(corpus)
  using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-blocks-'))
  print(`Parquet: ${await parquetBytes(corpus, folder.path)}\n`)
  print(await measureStore(name, join(folder.path, 'data')))
}

function printSizes(corpus: Corpus): void {
  print(`| rows of a block | ${Object.keys(COMPRESSIONS).join(' | ')} | one change number |`)
  print('|---|---|---|---|---|')
  for (const size of SIZES) {
    const blocks = blocksOf(corpus, size)
    const cells = Object.values(COMPRESSIONS).map((compress) => bytesOf(blocks, compress))
    const packed = bytesOf(blocks.map(withOneChange), COMPRESSIONS['Zstandard 3'])
    print(`| ${size} | ${[...cells, packed].map((bytes) => bytes.toFixed(2)).join(' | ')} |`)
  }
  print(`\nBar: ${corpus.bar}.\n`)
}

/** The bytes of each column are those by which the blocks grow when it is added to those before it. */
function printColumns(corpus: Corpus): void {
  const blocks = blocksOf(corpus, SIZE)
  print('| column | bytes of a position |\n|---|---|')
  let last = 0
  const upTo = (place: number) => (block: BlockColumns) => {
    const numbers = block.numbers.map((column, at) => (at <= place ? column : null))
    return {
      ...block,
      numbers,
      addresses: columnName(place) === 'address' ? block.addresses : NO_TEXTS,
      attributes: NO_ATTRIBUTES,
    }
  }
  for (const place of COLUMNS.keys()) {
    if (blocks.every(({ numbers }) => numbers[place] === null)) continue
    const bytes = bytesOf(blocks.map(upTo(place)), COMPRESSIONS['Zstandard 3'])
    // After the address, its texts are left out again.
    const before = columnName(place - 1) === 'address' ? withoutTexts(blocks, place - 1) : last
    if (bytes - before >= 0.005) {
      print(
        `| ${place === 0 ? 'head, flags, ' : ''}${columnName(place)} | ${(bytes - before).toFixed(2)} |`,
      )
    }
    last = bytes
  }
  if (blocks.some(({ attributes }) => attributes().length > 0)) {
    const [without, all] = [blocks.map(withoutAttributes), blocks].map((each) =>
      bytesOf(each, COMPRESSIONS['Zstandard 3']),
    )
    print(`| attributes | ${(all! - without!).toFixed(2)} |`)
  }
  print('')
}

function withoutAttributes(block: BlockColumns): BlockColumns {
  return { ...block, attributes: NO_ATTRIBUTES }
}

function withoutTexts(blocks: readonly BlockColumns[], place: number): number {
  const bare = blocks.map((block) => {
    const numbers = block.numbers.map((column, at) => (at <= place ? column : null))
    return { ...block, numbers, addresses: NO_TEXTS, attributes: NO_ATTRIBUTES }
  })
  return bytesOf(bare, COMPRESSIONS['Zstandard 3'])
}

function blocksOf({ objects }: Corpus, size: number): BlockColumns[] {
  return objects.flatMap((rows) => parts(rows, size).map(columnsOf))
}

function parts(rows: readonly PositionRow[], size: number): PositionRow[][] {
  const count = Math.ceil(rows.length / size)
  return Array.from({ length: count }, (_, i) => rows.slice(i * size, (i + 1) * size))
}

/** As a block is once no open history needs the number of each row. */
function withOneChange(block: BlockColumns): BlockColumns {
  const numbers = block.numbers.map((column, place) => {
    const isChange = columnName(place) === 'change' || columnName(place) === 'hidden since'
    return isChange && column !== null
      ? new Float64Array(column.length).fill(column.at(-1)!)
      : column
  })
  return { ...block, numbers }
}

/** Bytes of a position. */
function bytesOf(
  blocks: readonly BlockColumns[],
  compress: (body: Uint8Array) => Uint8Array,
): number {
  let [bytes, rows] = [0, 0]
  for (const block of blocks) {
    bytes += encodeBlock(OWNER, block, compress).length
    rows += block.rows
  }
  return bytes / rows
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
