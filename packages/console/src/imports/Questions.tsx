import type { ImportKind } from '../../../server/src/base/domain/import-formats.ts'
import type { ImportPreview } from '../api/types.ts'
import { said } from '../language/said.ts'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { listed, utcDay } from '../ui/format.ts'
import { Note } from '../ui/state/Note.tsx'
import {
  type FileOptions,
  labelOf,
  missingFields,
  openParts,
  type TablePart,
  withoutAdvice,
} from './file-options.ts'
import { CONTENTS } from './formats.ts'
import { NOTATION_WORDS } from './notation-words.ts'
import { OtherKinds } from './OtherKinds.tsx'

type QuestionsProps = {
  kind: ImportKind
  preview: ImportPreview
  options: FileOptions
  onChange: (options: FileOptions) => void
  onKind: (kind: ImportKind) => void
}

/** Why a file cannot be imported yet, with what the operator can choose. Nothing is stored until all is answered. */
export function Questions({ kind, preview, options, onChange, onKind }: QuestionsProps) {
  const { problem, rivals, taken_by: others } = preview
  if (problem === null) return null
  if (others.length > 0) {
    return (
      <OtherKinds kinds={others} onKind={onKind}>
        {t('{{file}} has other contents: {{others}}. Nothing was stored.', {
          file: preview.file,
          others: listed(
            others.map((each) => CONTENTS[each]),
            'disjunction',
          ),
        })}
      </OtherKinds>
    )
  }
  const missing = missingFields(preview, options)
  const open = openParts(preview)
  if (missing.length === 0 && open.length === 0 && rivals === null) {
    return (
      <Note kind="warn" alert>
        {said(withoutAdvice(problem))}
      </Note>
    )
  }
  return (
    <>
      {rivals !== null && (
        <Note kind="warn" alert>
          <p>
            {t('Several columns could contain the {{field}}. Which one is it?', {
              field: labelOf(rivals.field),
            })}
          </p>
          <div className="row">
            {rivals.columns.map((column) => (
              <Button
                key={column}
                small
                onClick={() =>
                  onChange({ ...options, mapping: { ...options.mapping, [rivals.field]: column } })
                }
              >
                {column}
              </Button>
            ))}
          </div>
        </Note>
      )}
      {missing.length > 0 && (
        <Note kind="warn" alert>
          <p>
            {missing.length === 1
              ? t('Which column has the {{missing}}? Choose it below.', {
                  missing: labelOf(missing[0]!),
                })
              : t('Which columns have the {{labelOf}}? Choose them below.', {
                  labelOf: listed(missing.map(labelOf)),
                })}
          </p>
          {kind === 'positions' && missing.includes('ident') && (
            <p>{t('If all rows belong to one vehicle, choose that vehicle instead.')}</p>
          )}
        </Note>
      )}
      {open.map((part) => (
        <Question
          key={part}
          part={part}
          preview={preview}
          onAnswer={(value) =>
            onChange({ ...options, notation: { ...options.notation, [part]: value } })
          }
        />
      ))}
    </>
  )
}

type QuestionProps = {
  part: TablePart
  preview: ImportPreview
  onAnswer: (value: string) => void
}

function Question({ part, preview, onAnswer }: QuestionProps) {
  const found = preview.table?.[part]
  if (found === undefined) return null
  return (
    <Note kind="warn" alert>
      <p>{QUESTIONS[part](found.example ?? '')}</p>
      <div className="row">
        {found.choices.map(({ value, reads }) => (
          <Button key={value} small onClick={() => onAnswer(value)}>
            {readingOf(part, reads)} – {NOTATION_WORDS[part][value] ?? value}
          </Button>
        ))}
      </div>
    </Note>
  )
}

const QUESTIONS: Record<TablePart, (example: string) => string> = {
  encoding: () => t('Which of these lines is spelled correctly?'),
  delimiter: () => t('Which of these lines shows the column headings?'),
  decimal: (example) => t('How should the number {{example}} be read?', { example }),
  dates: (example) => t('How should the date {{example}} be read?', { example }),
}

const SHOWN_CHARACTERS = 60

/**
 * A date of a reading is `2026-04-03T08:00:00`, unless two dates of the file contradict each other. Other readings are
 * lines of the file.
 */
function readingOf(part: TablePart, reads: string): string {
  const isDay = part === 'dates' && /^\d{4}-\d\d-\d\d/.test(reads)
  if (isDay) return utcDay(reads.slice(0, 10), { dateStyle: 'long' })
  return reads.length <= SHOWN_CHARACTERS ? reads : `${reads.slice(0, SHOWN_CHARACTERS)}…`
}
