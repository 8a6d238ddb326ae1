import type { Command } from 'commander'
import type { savedMappingDocument } from '../../acts/import-bodies.ts'
import { SAVED_MAPPING_ACTS } from '../../acts/mapping-acts.ts'
import { MAPPING_RULES } from '../../base/domain/import-formats.ts'
import { actCommand } from '../act-command.ts'
import { harmless } from '../failure.ts'
import { settingReader } from '../options.ts'
import { listing } from '../terminal.ts'

const acts = SAVED_MAPPING_ACTS
const numbers = { mapping: { words: "its id, as 'import mappings' shows it" } }

export function savedMappingCommands(): Command[] {
  return [
    actCommand(acts.listSavedMappings, {
      name: 'mappings',
      examples: ['import mappings --org 1'],
      show({ items }) {
        if (items.length === 0) return { json: items, text: 'No choices are saved.' }
        return listing(items, [
          'id',
          'name',
          'kind',
          'saved_at',
          ['CHOICES', ({ settings }) => harmless(choicesText(settings))],
          ['HEADINGS', ({ headings }) => harmless(headings.join(', '))],
        ])
      },
    }),
    actCommand(acts.renameSavedMapping, {
      name: 'rename-mapping',
      examples: ["import rename-mapping --org 1 81423940 'Wialon report'"],
      numbers,
      options: (to) =>
        to.argument(
          '<name>',
          `its name: ${MAPPING_RULES.name.says}`,
          settingReader(MAPPING_RULES.name),
        ),
      body: (_, __, name: string) => ({ name }),
      show: ({ id, name }) => ({
        json: { id, name },
        text: `Mapping ${id} is now '${harmless(name ?? '')}'.`,
      }),
    }),
    actCommand(acts.deleteSavedMapping, {
      name: 'forget-mapping',
      examples: ['import forget-mapping --org 1 81423940'],
      numbers,
      show: (_, { params: { mapping } }) => ({
        json: { id: mapping, deleted: true },
        text: `Mapping ${mapping} was forgotten.`,
      }),
    }),
  ]
}

type Settings = ReturnType<typeof savedMappingDocument>['settings']

function choicesText({ columns, ...others }: Settings): string {
  const chosen = Object.entries({ ...columns, ...others }).filter(([, value]) => value !== null)
  return chosen.map(([name, value]) => `${name}=${value}`).join(', ')
}
