import type { Command } from 'commander'
import { FIX_RECORD } from '../../domain/position/fix-record.ts'
import { LAST_TIME } from '../../domain/time/time-range.ts'
import type { Store } from '../../store/store.ts'
import { DamagedPositions, type PositionStretch } from '../../tracking/damaged-positions.ts'
import { type CommandResult, command, onStore, option } from '../command.ts'
import { countText, grouped, openProgressLine } from '../terminal/progress-line.ts'
import { untilSignal } from '../until-signal.ts'

type VerifyOptions = { quiet?: boolean }

export function verifyCommand(): Command {
  return command('verify', 'read all stored positions once, and list those that are damaged', [
    'verify',
    'verify --database postgres://localhost/fleetgate --json',
  ])
    .addOption(option('--quiet', 'show no progress'))
    .action(onStore(verify))
}

async function verify(store: Store, { quiet }: VerifyOptions): Promise<CommandResult> {
  const began = performance.now()
  const line = openProgressLine(process.stderr, () => performance.now())
  const text = (read: number) => countText(read, 'positions', performance.now() - began)
  const { read, damaged, isWhole } = await untilSignal((signal) =>
    readAll(store, signal, ({ read }) => quiet !== true && line.show(() => text(read))),
  ).finally(() => quiet !== true && line.end())
  const result = {
    json: {
      positions: read,
      damaged: damaged.map(({ organization, object, first, last }) => ({
        ...{ organization, object },
        from: new Date(first).toISOString(),
        to: new Date(last).toISOString(),
      })),
      complete: isWhole,
    },
    text: [`Read ${text(read)}`, ...damaged.map(lineOf)].join('\n'),
  }
  if (damaged.length > 0) {
    const count = damaged.length
    const stretches =
      count === 1 ? '1 stretch of positions is' : `${grouped(count)} stretches of positions are`
    const failure = `${stretches} damaged: restore the data from a backup`
    return { ...result, failure }
  }
  return isWhole ? result : { ...result, failure: 'stopped before the end' }
}

function lineOf({ organization, object, first, last }: PositionStretch): string {
  const [from, to] = [first, last].map((time) => new Date(time).toISOString())
  return `Damaged: organization ${organization}, object ${object}, ${from} to ${to}`
}

type Verified = { read: number; damaged: PositionStretch[] }

async function readAll(
  store: Store,
  signal: AbortSignal,
  onProgress: (verified: Verified) => void,
): Promise<Verified & { isWhole: boolean }> {
  const verified: Verified = { read: 0, damaged: [] }
  for (const { id: organization } of await store.organizations.list()) {
    for (const { id: object } of await store.objects.list(organization)) {
      for (let from = 0; from <= LAST_TIME && !signal.aborted; ) {
        from = await readOn(store, organization, object, from, verified)
        onProgress(verified)
      }
    }
  }
  return { ...verified, isWhole: !signal.aborted }
}

/** Reads an object's positions up to the next damaged ones. Returns the time from which to continue. */
async function readOn(
  { positions }: Store,
  organization: number,
  object: number,
  from: number,
  verified: Verified,
): Promise<number> {
  try {
    const { blocks } = await positions.history(organization, object, { from, to: LAST_TIME }, null)
    for await (const block of blocks) verified.read += countRecords(block)
    return LAST_TIME + 1
  } catch (error) {
    if (!(error instanceof DamagedPositions)) throw error
    verified.damaged.push(error.stretch)
    return error.stretch.last + 1
  }
}

function countRecords(records: Uint8Array): number {
  let count = 0
  for (let at = 0; at < records.length; count += 1) {
    at += records[at + FIX_RECORD.length]! + records[at + FIX_RECORD.length + 1]! * 0x100
  }
  return count
}
