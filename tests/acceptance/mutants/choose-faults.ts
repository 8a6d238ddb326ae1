import { createHash } from 'node:crypto'
import { type Fault, faultsOf } from './faults.ts'

export type Source = { path: string; text: string }
export type Chosen = Fault & { source: Source }

/**
 * Faults spread over the folders by their lines. The seed alone decides which, so nobody chooses easy ones, and a run can
 * be repeated.
 */
export function chooseFaults(sources: readonly Source[], count: number, seed: string): Chosen[] {
  const folders = Map.groupBy(sources, ({ path }) => folderOf(path))
  const lines = [...folders].map(([folder, files]) => ({ folder, lines: linesOf(files) }))
  return share(lines, count).flatMap(({ folder, count }) => {
    const faults = folders
      .get(folder)!
      .flatMap((source) => faultsOf(source.text).map((fault) => ({ ...fault, source })))
    return faults
      .map((fault) => ({ fault, rank: rankOf(seed, fault) }))
      .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
      .slice(0, count)
      .map(({ fault }) => fault)
  })
}

/** A file that is in no folder counts to the folder of all of them. */
function folderOf(path: string): string {
  const [folder, rest] = path.split('/')
  return rest === undefined ? '' : folder!
}

function linesOf(files: readonly Source[]): number {
  return files.reduce((sum, { text }) => sum + text.split('\n').length, 0)
}

type Share = { folder: string; count: number }

/** Shares of whole numbers, by the largest remainder. */
function share(folders: readonly { folder: string; lines: number }[], count: number): Share[] {
  const all = folders.reduce((sum, { lines }) => sum + lines, 0)
  const shares = folders.map(({ folder, lines }) => {
    const exact = (count * lines) / all
    return { folder, count: Math.floor(exact), remainder: exact % 1 }
  })
  const left = count - shares.reduce((sum, each) => sum + each.count, 0)
  for (const each of shares.toSorted((a, b) => b.remainder - a.remainder).slice(0, left)) {
    each.count += 1
  }
  return shares
}

function rankOf(seed: string, { source, kind, start }: Chosen): string {
  return createHash('sha256').update(`${seed} ${source.path} ${start} ${kind}`).digest('hex')
}
