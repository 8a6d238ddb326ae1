import type { Command } from 'commander'
import { addAll } from '../../base/domain/common/any-number.ts'
import { LAST_TIME, systemClock } from '../../base/domain/time/time.ts'
import type { Store } from '../../engine/store/store.ts'
import {
  NewerPositions,
  type PositionRange,
  UnreadablePositions,
} from '../../engine/tracking/work.ts'
import { packableBefore } from '../../work/tasks/refold-and-pack.ts'
import { type CommandResult, command, onStore } from '../command.ts'
import { countText, grouped, quietOption, withProgress } from '../terminal.ts'

type QuietOptions = { quiet?: boolean }

export function verifyCommand(description: string): Command {
  return command('verify', description, [
    'verify',
    'verify --database postgres://localhost/fleetgate --json',
  ])
    .addOption(quietOption())
    .action(onStore(verify))
}

async function verify(store: Store, { quiet }: QuietOptions): Promise<CommandResult> {
  const began = performance.now()
  const text = (read: number) => countText(read, 'positions', performance.now() - began)
  const { read, damaged, newer, missing, isWhole } = await withProgress(quiet, (signal, show) =>
    readAll(store, signal, ({ read }) => show(() => text(read))),
  )
  const result = {
    json: {
      positions: read,
      damaged: damaged.map(rangeDocument),
      newer: newer.map(rangeDocument),
      missing,
      complete: isWhole,
    },
    text: [
      `Read ${text(read)}`,
      ...damaged.map((each) => `Damaged: ${rangeText(each)}`),
      ...newer.map((each) => `Packed by a newer version: ${rangeText(each)}`),
      ...missing.map((each) => `Missing blocks: ${JSON.stringify(each)}`),
    ].join('\n'),
  }
  const problems = [
    ...(damaged.length === 0 ? [] : [`${damagedText(damaged)}: restore the data from a backup`]),
    ...(missing.length === 0
      ? []
      : ['packed positions are missing: restore the data from a backup']),
    ...(newer.length === 0 ? [] : ['a newer version of Fleetgate packed positions: run it']),
  ]
  if (problems.length > 0) return { ...result, failure: problems.join('; ') }
  return isWhole ? result : { ...result, failure: 'stopped before the end' }
}

function damagedText({ length }: readonly PositionRange[]): string {
  if (length === 1) return '1 range of positions is damaged'
  return `${grouped(length)} ranges of positions are damaged`
}

function rangeDocument({ organization, object, first, last }: PositionRange) {
  const [from, to] = [first, last].map((time) => new Date(time).toISOString())
  return { organization, object, from, to }
}

function rangeText(range: PositionRange): string {
  const { organization, object, from, to } = rangeDocument(range)
  return `organization ${organization}, object ${object}, ${from} to ${to}`
}

/** `newer`: those that a newer version has packed. `missing`: the number of blocks that are gone. */
type Verified = {
  read: number
  damaged: PositionRange[]
  newer: PositionRange[]
  missing: { organization: number; object: number; blocks: number }[]
}

async function readAll(
  store: Store,
  signal: AbortSignal,
  onProgress: (verified: Verified) => void,
): Promise<Verified & { isWhole: boolean }> {
  const verified: Verified = { read: 0, damaged: [], newer: [], missing: [] }
  for (const { id: organization } of await store.organizations.list()) {
    for (const { id: object } of await store.objects.list(organization)) {
      if (signal.aborted) break
      for (let from = 0; from <= LAST_TIME && !signal.aborted; ) {
        from = await readOn(store, organization, object, from, verified)
        onProgress(verified)
      }
      const { altered, missing } = await store.positions.checkBlocks(organization, object)
      addAll(verified.damaged, altered)
      if (missing !== 0) verified.missing.push({ organization, object, blocks: missing })
    }
  }
  return { ...verified, isWhole: !signal.aborted }
}

/** Reads an object's positions up to the next ones that it cannot read. Returns the time from which to continue. */
async function readOn(
  { positions }: Store,
  organization: number,
  object: number,
  from: number,
  verified: Verified,
): Promise<number> {
  try {
    const { blocks } = await positions.history(organization, object, { from, to: LAST_TIME }, null)
    for await (const { rows } of blocks) verified.read += rows
    return LAST_TIME + 1
  } catch (error) {
    if (!(error instanceof UnreadablePositions)) throw error
    const list = error instanceof NewerPositions ? verified.newer : verified.damaged
    list.push(error.range)
    return error.range.last + 1
  }
}

export function packCommand(description: string): Command {
  return command('pack', description, ['pack', 'pack --data /var/lib/fleetgate --json'])
    .addOption(quietOption())
    .action(onStore(pack))
}

async function pack(store: Store, { quiet }: QuietOptions): Promise<CommandResult> {
  const before = packableBefore(systemClock)
  const began = performance.now()
  const text = (packed: number) => countText(packed, 'positions', performance.now() - began)
  const { packed, failures, isWhole } = await withProgress(quiet, (signal, show) =>
    packAll(store, before, signal, (packed) => show(() => text(packed))),
  )
  const result = {
    json: { packed, complete: isWhole },
    text: packed === 0 ? 'There are no positions to pack' : `Packed ${text(packed)}`,
  }
  if (failures.length > 0) {
    const objects = failures.length === 1 ? '1 object' : `${grouped(failures.length)} objects`
    const failure = `${objects} could not be packed: ${messageOf(failures[0])}`
    return { ...result, failure }
  }
  if (isWhole) return result
  const failure =
    "stopped before the end: a server on this data, or 'fleetgate pack', does the rest"
  return { ...result, failure }
}

function messageOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure)
}

async function packAll(
  { organizations, positions }: Store,
  before: number,
  signal: AbortSignal,
  onProgress: (packed: number) => void,
): Promise<{ packed: number; failures: unknown[]; isWhole: boolean }> {
  let packed = 0
  const failures: unknown[] = []
  for (const { id } of await organizations.list()) {
    for (let after: number | null = 0; after !== null && !signal.aborted; ) {
      const slice = await positions.pack(id, before, after)
      packed += slice.packed
      if (slice.failure !== undefined) failures.push(slice.failure)
      after = slice.next
      onProgress(packed)
    }
  }
  return { packed, failures, isWhole: !signal.aborted }
}
