import { isDeepStrictEqual } from 'node:util'
import { addAll } from '../../base/domain/common/any-number.ts'
import { WEEK_MS } from '../../engine/store/position-store.ts'
import { type Checksum, checksumOf, differences, summing, weekSumsOf } from './checksums.ts'
import {
  type CopySource,
  type CopySourceFacts,
  type CopyTarget,
  copiedTablesOf,
  type Part,
} from './copy-port.ts'
import { countTuples } from './tuples.ts'

/** Objects whose positions are compared and copied together. */
const TOGETHER = 500

const ALWAYS = { from: 0, to: Number.MAX_SAFE_INTEGER } as const

/** Checksums by table, for an organization or for the deployment. */
export type Sums = Record<string, Checksum>

/** The progress. `copied`: positions written so far. */
export type Progress = {
  stage: 'copying' | 'checking'
  /** Positions read so far, and their total. */
  passed: number
  total: number
  copied: number
}

/** Differences between the two sides. */
export type Difference = { organization: number | null; table: string }

export type Outcome = {
  /** The contents of the source by organization. */
  sums: Map<number, Sums>
  /** The rows of the source that belong to no organization. */
  own: Sums
  /** Positions written. The others were already there. */
  copied: number
  /** Differences found when the target was read again. */
  differences: Difference[]
}

/**
 * Makes the target equal to the source, whatever the target has already. Equal weeks of an object are
 * left alone, so a copy can be interrupted at any point and run again, and a second run copies what has
 * changed since. Afterwards the whole target is read and compared. Rejects with the signal's reason when
 * it aborts.
 */
export async function copyDeployment(
  source: CopySource,
  target: CopyTarget,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Outcome> {
  const facts = await source.facts()
  const organizations = await source.organizations()
  const total = await expectPositions(source, target, organizations)
  const progress: Progress = { stage: 'copying', passed: 0, total, copied: 0 }
  const passed = (rows: number) => {
    signal.throwIfAborted()
    progress.passed += rows
    onProgress(progress)
  }
  await removeOthers(target, organizations)
  const own = await copyTables(source, target, null)
  const sums = new Map<number, Sums>()
  for (const organization of organizations) {
    await removeGone(source, target, organization)
    const tables = await copyTables(source, target, organization)
    const positions = await copyPositions(source, target, organization, {
      passed,
      copied: (rows) => {
        progress.copied += rows
      },
    })
    sums.set(organization, { ...tables, positions })
  }
  await target.settle(facts)
  Object.assign(progress, { stage: 'checking', passed: 0 })
  const found = [
    ...(await check(target, sums, passed)),
    ...apart(null, own, await tableSums(target, null)),
    ...factsApart(facts, await target.facts(), sums.size > 0),
  ]
  if (found.length === 0) await target.finish()
  return { sums, own, copied: progress.copied, differences: found }
}

async function expectPositions(
  source: CopySource,
  target: CopyTarget,
  organizations: readonly number[],
): Promise<number> {
  const weeks = new Map<number, number>()
  for (const organization of organizations) {
    const objects = await source.objects(organization)
    for (const [week, rows] of await source.weeks(organization, objects)) {
      weeks.set(week, (weeks.get(week) ?? 0) + rows)
    }
  }
  await target.expect(weeks)
  return weeks.values().reduce((sum, rows) => sum + rows, 0)
}

/**
 * Removes rows that the source no longer has. Positions go first: without their object nobody would find
 * them.
 */
async function removeOthers(target: CopyTarget, wanted: readonly number[]): Promise<void> {
  const others = new Set(await target.organizations()).difference(new Set(wanted))
  for (const organization of others) {
    await removeObjects(target, organization, await target.objects(organization))
    await target.remove(organization)
  }
}

async function removeObjects(
  target: CopyTarget,
  organization: number,
  objects: readonly number[],
): Promise<void> {
  for (const part of partsOf(organization, objects)) await target.removePositions(part)
}

/** Removes the positions of objects that the source no longer has. */
async function removeGone(
  source: CopySource,
  target: CopyTarget,
  organization: number,
): Promise<void> {
  const wanted = new Set(await source.objects(organization))
  const gone = new Set(await target.objects(organization)).difference(wanted)
  await removeObjects(target, organization, [...gone])
}

/** The tables of an organization, or of the deployment. */
async function copyTables(
  source: CopySource,
  target: CopyTarget,
  organization: number | null,
): Promise<Sums> {
  const [mine, theirs] = await Promise.all([
    tableSums(source, organization),
    tableSums(target, organization),
  ])
  if (unequalTables(mine, theirs).length > 0) {
    await target.replace(organization, (table) => source.rows(table, organization))
  }
  return mine
}

async function tableSums(side: CopySource, organization: number | null): Promise<Sums> {
  const sums: Sums = {}
  for (const table of copiedTablesOf(organization))
    sums[table.name] = await checksumOf(side.rows(table, organization))
  return sums
}

type Counting = { passed(rows: number): void; copied(rows: number): void }

async function copyPositions(
  source: CopySource,
  target: CopyTarget,
  organization: number,
  counting: Counting,
): Promise<Checksum> {
  const whole = summing()
  const pass = (block: Buffer) => counting.passed(whole.add(block))
  const write = async (part: Part, passing: (block: Buffer) => void) => {
    await target.addPositions(
      tapped(source.positions(part), (block) => {
        passing(block)
        counting.copied(countTuples(block))
      }),
    )
  }
  for (const part of partsOf(organization, await source.objects(organization))) {
    const existing = await weekSumsOf(target.positions(part), () => {})
    if (existing.size === 0) {
      await write(part, pass)
      continue
    }
    const wanted = await weekSumsOf(source.positions(part), pass)
    for (const [week, objects] of differences(wanted, existing)) {
      const differing = { organization, objects, from: week, to: week + WEEK_MS }
      await target.removePositions(differing)
      await write(differing, () => {})
    }
  }
  return whole.sum()
}

/** Differences between the target, read from its storage, and the source. */
async function check(
  target: CopyTarget,
  wanted: ReadonlyMap<number, Sums>,
  passed: (rows: number) => void,
): Promise<Difference[]> {
  const found: Difference[] = []
  const existing = await target.organizations()
  for (const organization of new Set(existing).symmetricDifference(new Set(wanted.keys()))) {
    found.push({ organization, table: 'organizations' })
  }
  for (const [organization, sums] of wanted) {
    const whole = summing()
    for (const part of partsOf(organization, await target.objects(organization))) {
      for await (const block of target.positions(part)) passed(whole.add(block))
    }
    const read = { ...(await tableSums(target, organization)), positions: whole.sum() }
    addAll(found, apart(organization, sums, read))
  }
  return found
}

function apart(organization: number | null, one: Sums, other: Sums): Difference[] {
  return unequalTables(one, other).map((table) => ({ organization, table }))
}

function unequalTables(one: Sums, other: Sums): string[] {
  return Object.keys(one).filter((table) => !isDeepStrictEqual(one[table], other[table]))
}

/** If there are no organizations, the newest change belongs to none. */
function factsApart(
  one: CopySourceFacts,
  other: CopySourceFacts,
  hasOrganizations: boolean,
): Difference[] {
  const wanted = hasOrganizations ? one : { ...one, sequence: other.sequence }
  return isDeepStrictEqual(wanted, other) ? [] : [{ organization: null, table: 'deployment' }]
}

function* partsOf(organization: number, objects: readonly number[]): Generator<Part> {
  for (let at = 0; at < objects.length; at += TOGETHER) {
    yield { organization, objects: objects.slice(at, at + TOGETHER), ...ALWAYS }
  }
}

async function* tapped(
  blocks: AsyncIterable<Buffer>,
  tap: (block: Buffer) => void,
): AsyncGenerator<Buffer> {
  for await (const block of blocks) {
    tap(block)
    yield block
  }
}
