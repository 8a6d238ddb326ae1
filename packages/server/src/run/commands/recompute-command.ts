import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import { objectOf, organizationOf } from '../../acts/act.ts'
import type { MonitoredObject } from '../../base/domain/monitored-object.ts'
import type { FoldRules } from '../../base/domain/position/fold-state.ts'
import { systemClock } from '../../base/domain/time/time.ts'
import type { PositionStore, RefoldSubject } from '../../engine/store/position-store.ts'
import type { Store } from '../../engine/store/store.ts'
import { foldRules } from '../../engine/tracking/rules/advance.ts'
import { packingRefold } from '../../work/tasks/refold-and-pack.ts'
import { callOn, runAct } from '../act-command.ts'
import { type CommandResult, command, onStore, option } from '../command.ts'
import { id, type OwnerOptions, ownerOption } from '../options.ts'
import { counted, countText, grouped, quietOption, withProgress } from '../terminal.ts'

type RecomputeOptions = OwnerOptions & { object?: number; quiet?: boolean }

export function recomputeCommand(description: string): Command {
  return command('recompute', description, ['recompute --org 1', 'recompute --org 1 --object 7'])
    .addOption(ownerOption())
    .addOption(option('--object <id>', 'only this object, by its id').argParser(id))
    .addOption(quietOption())
    .action(onStore(recompute))
}

async function recompute(store: Store, options: RecomputeOptions): Promise<CommandResult> {
  const { org, object = null } = options
  await runAct({ run: organizationOf }, callOn(store, { organization: org }))
  if (object !== null) await runAct({ run: objectOf }, callOn(store, { organization: org, object }))
  const rules = foldRules(systemClock)
  const subject = { organization: org, object }
  const began = performance.now()
  const done = await withProgress(options.quiet, (signal, show) =>
    foldAnew(store.positions, subject, rules, signal, ({ objects, mine }) =>
      show(() => {
        const positions = countText(mine.positions, 'positions', performance.now() - began)
        return `${positions}, ${grouped(mine.objects)} of ${grouped(objects)} objects`
      }),
    ),
  )
  return answerOf(subject, done)
}

/** `objects`: objects with something to fold. `mine`: how many of them this process folded. */
type Done = {
  objects: number
  mine: { objects: number; positions: number }
  isWhole: boolean
}

/** A pause between slices, so that a server on the same data can write its packets. */
const PAUSE_MS = 2

/**
 * Folds an organization or one object again, until it is stopped. A server works on the same marks, so less may be
 * left than was requested.
 */
export async function foldAnew(
  positions: Pick<PositionStore, 'requestRefold' | 'refold' | 'pack'>,
  subject: RefoldSubject,
  rules: FoldRules,
  signal: AbortSignal,
  onProgress: (done: Done) => void = () => {},
): Promise<Done> {
  const done: Done = {
    objects: await positions.requestRefold(subject),
    mine: { objects: 0, positions: 0 },
    isWhole: false,
  }
  const refold = packingRefold(positions, rules, systemClock)
  // A late packet may make an object be folded twice.
  const finished = new Set<number>()
  while (!signal.aborted) {
    const slice = await refold(subject)
    if (slice === null) return { ...done, isWhole: true }
    if (slice.finished) finished.add(slice.object)
    done.mine.objects = Math.min(finished.size, done.objects)
    done.mine.positions += slice.positions
    onProgress(done)
    await pause(PAUSE_MS)
  }
  return done
}

function answerOf(subject: RefoldSubject, { objects, mine, isWhole }: Done): CommandResult {
  const json = {
    organization: subject.organization,
    object: subject.object,
    objects,
    done_here: mine,
    complete: isWhole,
  }
  const here = `${counted(mine.objects, 'object')} with ${counted(mine.positions, 'position')}`
  if (!isWhole) {
    return {
      json,
      text: `Recomputed ${here}, of ${counted(objects, 'object')}`,
      failure:
        "stopped before the end: a server on this data does the rest, or 'fleetgate recompute' does all of it again",
    }
  }
  const others = objects - mine.objects
  const rest = others === 0 ? '' : `; the running server did ${grouped(others)} more`
  const text = objects === 0 ? 'There are no positions to recompute' : `Recomputed ${here}${rest}`
  return { json, text }
}

/** Settings that affect the fold. The other ones of `accuracy` are checked when a packet comes. */
const FOLDED = [
  'engineHoursType',
  'odometerType',
  'odometerOffset',
  'engineHours',
  'odometer',
] as const
const FOLDED_ACCURACY = [
  'minimumDifferencePoint',
  'idleSpeedThreshold',
  'minimumMovingSpeed',
  'distanceSource',
  'stopDetectionMethod',
  'maximumGap',
] as const

/** The next step after a change of settings that stored positions were folded by. */
export async function recomputeAdvice(
  store: Store,
  before: MonitoredObject,
  after: MonitoredObject,
): Promise<string | undefined> {
  const isFoldedOtherwise =
    FOLDED.some((key) => before[key] !== after[key]) ||
    FOLDED_ACCURACY.some((key) => before.accuracy[key] !== after.accuracy[key])
  if (!isFoldedOtherwise) return undefined
  const { organization, id } = after
  const states = await store.positions.states(organization, [id])
  if (states.get(id)?.fold == null) return undefined
  return `the new setting applies to future packets; 'fleetgate recompute --org ${organization} --object ${id}' applies it to the positions that are stored`
}
