import { t } from '../language/text.ts'
import { SelectField } from '../ui/form/Field.tsx'
import type { FileOptions, Table, TablePart } from './file-options.ts'
import { NOTATION_TITLES, NOTATION_WORDS } from './notation-words.ts'

type NotationFieldsProps = {
  table: Table
  options: FileOptions
  onChange: (options: FileOptions) => void
}

/** How a file is written, as the server reads it or the operator chooses. */
export function NotationFields({ table, options, onChange }: NotationFieldsProps) {
  const parts = Object.keys(NOTATION_TITLES) as TablePart[]
  const known = parts.flatMap((part) => {
    const { value, from } = table[part]
    return value === null || from === 'usual' ? [] : [wordsFor(part, value)]
  })
  return (
    <details className="faults">
      <summary>{[t('File format'), known.join(', ')].filter(Boolean).join(': ')}</summary>
      <div className="import-columns">
        {parts.map((part) => (
          <SelectField
            key={part}
            label={NOTATION_TITLES[part]}
            value={table[part].value ?? ''}
            help={reasonOf(table[part])}
            options={choicesOf(part, table[part].value)}
            onChange={(value) =>
              onChange({ ...options, notation: { ...options.notation, [part]: value } })
            }
          />
        ))}
      </div>
    </details>
  )
}

function wordsFor(part: TablePart, value: string): string {
  return NOTATION_WORDS[part][value] ?? value
}

function choicesOf(part: TablePart, value: string | null): [string, string][] {
  const all = Object.entries(NOTATION_WORDS[part])
  if (value === null) return [['', t('Unknown')], ...all]
  return value in NOTATION_WORDS[part] ? all : [[value, value], ...all]
}

/** Longer texts of a file do not explain themselves. */
const SHOWN_CHARACTERS = 30

function reasonOf({ from, example }: Table[TablePart]): string | undefined {
  switch (from) {
    case 'file':
      return example !== null && example.length <= SHOWN_CHARACTERS
        ? t('Detected from {{example}}', { example })
        : t('Detected in the file')
    case 'saved':
      return t('From saved settings')
    case 'usual':
      return t('Not needed for this file')
    default:
      return undefined
  }
}
