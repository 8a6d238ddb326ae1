import { WHOLE_ANSWERS } from '../../api/rows/whole-answer.ts'
import type { TestScenario } from '../../domain/credential.ts'
import { HUNDREDTHS_PER_UNIT } from '../../domain/limits.ts'
import {
  amountAt,
  type Charge,
  type ChargeVerdict,
  type DailyQuota,
  type Realtime,
  type Snapshots,
} from '../../live/realtime.ts'
import { DAILY_QUOTA } from './catalogue.ts'

/** The object whose quota is exhausted in the scenario `exhausted`. */
const EXHAUSTED = 1
/** The wait that the scenario `limited` asks for. */
const LIMITED_US = 1_000_000
/** The window and the streams of a test key are counted under this number and its id. No organization has such an id. */
const WINDOWS = 2 ** 50

/** The realtime port for a test key: its own window and streams, the states of the simulated fleet, and nobody's quota. */
export function scenarioRealtime(
  shared: Realtime,
  snapshots: Snapshots,
  key: number,
  scenario: TestScenario,
): Realtime {
  const window = WINDOWS + key
  const quota = scenarioQuota(scenario)
  return {
    async ask(organization, { charge, shown }) {
      const { rate } =
        scenario === 'limited'
          ? { rate: { admitted: false, remaining: 0, resetUs: LIMITED_US } }
          : await shared.ask(window, { charge: null, shown: [] })
      if (!rate.admitted) return { rate, charge: null, states: null }
      return {
        rate,
        charge: charge && (await quota.charge(organization, charge)),
        states: await snapshots.read(organization, shown),
      }
    },
    quota,
    snapshots,
    streams: {
      take: (holder, limit) =>
        holder < WHOLE_ANSWERS
          ? shared.streams.take(window)
          : shared.streams.take(WHOLE_ANSWERS + window, limit),
    },
    close: () => Promise.resolve(),
  }
}

/** Each charge is the first of its day. */
function scenarioQuota(scenario: TestScenario): DailyQuota {
  const usedBefore = (object: number) =>
    scenario === 'exhausted' && object === EXHAUSTED ? DAILY_QUOTA * HUNDREDTHS_PER_UNIT : 0

  function verdict(charge: Charge): ChargeVerdict {
    const { objects, limit, ableToPay = [] } = charge
    const most = limit === null ? Number.POSITIVE_INFINITY : limit * HUNDREDTHS_PER_UNIT
    const after = objects.map((object, index) => usedBefore(object) + amountAt(charge, index))
    const exhausted = [
      ...objects.filter((_, index) => after[index]! > most),
      ...ableToPay.filter((object) => usedBefore(object) + HUNDREDTHS_PER_UNIT > most),
    ]
    if (exhausted.length > 0) {
      return { charged: false, exhausted, left: exhausted.map((each) => most - usedBefore(each)) }
    }
    if (objects.length === 0) return { charged: true, used: null }
    return { charged: true, used: after.reduce((highest, each) => Math.max(highest, each), 0) }
  }

  return {
    charge: async (_organization, charge) => verdict(charge),
    used: async (_organization, objects) => objects.map(usedBefore),
    giveBack: async () => undefined,
  }
}
