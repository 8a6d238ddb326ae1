import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Part } from '../part.ts'
import { fakeClock } from './fake-clock.ts'
import { stepRedis } from './windows.ts'

export const part: Part = {
  name: 'clock',
  title: 'A clock that is set',
  summary: 'The clocks of a server and of Redis are set forward and back.',
  about: `
The clock of the Redis that two servers share is set an hour back or forth at random moments (libfaketime, which shows it another
time of day), while twelve organizations each ask four times a second. Redis has no clock but the time of day: a step forward may
drop a window, so that ten more are admitted, and a step back may begin the wait of ten seconds again. Admissions are counted from
outside, and only certain ones: a request was admitted some time between its sending and its answer. The clock of a server over a
data folder is set by the part \`simulation\`.`,
  async run(trial) {
    const folder = join(trial.folder, 'redis')
    mkdirSync(folder)
    const clock = fakeClock(folder, 'redis')
    if (clock === undefined) {
      const measured = 'left out: no libfaketime'
      return [{ what: 'setting the clock', bar: '', measured, met: true }]
    }
    return stepRedis(trial, clock, folder)
  },
}
