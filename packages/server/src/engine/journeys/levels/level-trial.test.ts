import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { type Score, SENSORS, scoreOf } from './level-trial.fixture.ts'
import { defaultLevelSettings } from './samples.ts'
import { LORRY, VAN } from './simulated-tank.fixture.ts'

/** The rules were tuned with the seeds 1 to 6. These were not seen then. */
const FIRST_SEED = 1_001
const SEEDS = process.env.LEVELS_TRIAL === 'whole' ? 20 : 2
const DAYS = 14

const seeds = Array.from({ length: SEEDS }, (_, at) => FIRST_SEED + at)

describe('Levels of simulated tanks', () => {
  for (const [name, vehicle] of Object.entries({ lorry: LORRY, van: VAN })) {
    for (const sensor of SENSORS) {
      it(`has the fillings and drains of a ${name}, by a sensor with: ${sensor.name}`, (t) => {
        const settings = defaultLevelSettings(vehicle.capacity, 10)
        const { filled, drained } = scoreOf(vehicle, sensor, settings, seeds, DAYS)
        report(t, filled, drained)
        const total = filled.usedFound / filled.used - 1
        assert.equal(filled.found, filled.events)
        assert.ok(drained.found >= drained.events * 0.7)
        assert.ok(filled.leastUsed >= -1)
        // So much slosh needs a higher threshold (docs/design/levels.md).
        if (sensor.name === 'heavy slosh') return
        assert.ok(filled.falselyFound + drained.falselyFound <= SEEDS)
        assert.ok(meanOf(filled.amountErrors) < 0.03)
        assert.ok(meanOf(filled.dayErrors) < 0.06)
        assert.ok(Math.abs(total) < 0.06)
      })
    }
  }
})

function report(t: TestContext, filled: Score, drained: Score): void {
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`
  for (const [kind, score] of Object.entries({ filled, drained })) {
    const { found, events, falselyFound, amountErrors } = score
    t.diagnostic(
      `${kind}: ${found} of ${events}, ${falselyFound} false, off by ${percent(meanOf(amountErrors))}`,
    )
  }
  const total = percent(filled.usedFound / filled.used - 1)
  t.diagnostic(`used of a day: off by ${percent(meanOf(filled.dayErrors))}; of all days: ${total}`)
}

/** The mean size. */
function meanOf(errors: readonly number[]): number {
  return errors.reduce((sum, error) => sum + Math.abs(error), 0) / Math.max(1, errors.length)
}
