import type { Command } from 'commander'
import { systemClock } from '../../domain/time/clock.ts'
import type { Store } from '../../store/store.ts'
import { packableBefore } from '../../tasks/packing.ts'
import { type CommandResult, command, onStore, option } from '../command.ts'
import { countText, grouped, openProgressLine } from '../terminal/progress-line.ts'
import { untilSignal } from '../until-signal.ts'

type PackOptions = { quiet?: boolean }

export function packCommand(): Command {
  return command(
    'pack',
    'pack positions older than two days now; a server does it every hour, and answers stay the same',
    ['pack', 'pack --data /var/lib/fleetgate --json'],
  )
    .addOption(option('--quiet', 'show no progress'))
    .action(onStore(pack))
}

async function pack(store: Store, { quiet }: PackOptions): Promise<CommandResult> {
  const before = packableBefore(systemClock)
  const began = performance.now()
  const line = openProgressLine(process.stderr, () => performance.now())
  const text = (packed: number) => countText(packed, 'positions', performance.now() - began)
  const { packed, failures, isWhole } = await untilSignal((signal) =>
    packAll(store, before, signal, (packed) => quiet !== true && line.show(() => text(packed))),
  ).finally(() => quiet !== true && line.end())
  const result = {
    json: { packed, complete: isWhole },
    text: packed === 0 ? 'There are no positions to pack' : `Packed ${text(packed)}`,
  }
  if (failures > 0) {
    const failure = `${grouped(failures)} objects could not be packed: see 'fleetgate verify', and whether a newer version has written them`
    return { ...result, failure }
  }
  if (isWhole) return result
  const failure =
    "stopped before the end: a server on this data, or 'fleetgate pack', does the rest"
  return { ...result, failure }
}

async function packAll(
  { organizations, positions }: Store,
  before: number,
  signal: AbortSignal,
  onProgress: (packed: number) => void,
): Promise<{ packed: number; failures: number; isWhole: boolean }> {
  let [packed, failures] = [0, 0]
  for (const { id } of await organizations.list()) {
    for (let after: number | null = 0; after !== null && !signal.aborted; ) {
      const slice = await positions.pack(id, before, after)
      packed += slice.packed
      if (slice.failure !== undefined) failures += 1
      after = slice.next
      onProgress(packed)
    }
  }
  return { packed, failures, isWhole: !signal.aborted }
}
