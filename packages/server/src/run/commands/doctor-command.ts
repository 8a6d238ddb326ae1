import type { Command } from 'commander'
import { DIAGNOSIS_ACTS } from '../../acts/diagnosis.ts'
import { actCommand } from '../act-command.ts'
import { harmless } from '../failure.ts'
import { card } from '../terminal.ts'

export function doctorCommand(description: string): Command {
  return actCommand(DIAGNOSIS_ACTS.diagnoseObject, {
    name: 'doctor',
    description,
    examples: ['doctor --org 1 7', 'doctor --org 1 7 --json'],
    numbers: { object: { words: 'the id of the object' } },
    show(json) {
      const { causes, similar_idents, ...facts } = json
      const reasons = causes.map(({ cause, message }) => `${cause}: ${harmless(message)}`)
      const found = reasons.length === 0 ? ['No problem found.'] : reasons
      const text = [card({ ...facts, similar_idents: similar_idents.join(', ') }), ...found]
      const failure = causes[0] && `object ${json.id} does not move: ${causes[0].cause}`
      return { json, text: text.join('\n\n'), ...(failure && { failure }) }
    },
  }).addHelpText(
    'after',
    '\nThe first cause is where to look first. The command ends with exit code 1 if it finds one. Uses of tokens show after ten seconds, idents after two.',
  )
}
