import type { Part } from '../part.ts'
import { drainOften } from './draining.ts'

export const part: Part = {
  name: 'signals',
  title: 'Signals',
  about: '',
  async run(trial) {
    return [...(await drainOften(trial))]
  },
}
