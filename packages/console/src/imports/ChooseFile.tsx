import { useState } from 'react'
import type { ImportKind } from '../../../server/src/base/domain/import-formats.ts'
import { ITEM_RULES } from '../../../server/src/base/domain/item-rules.ts'
import { MAX_FILE_BYTES } from '../../../server/src/base/domain/limits.ts'
import { documentedName, type Rule } from '../../../server/src/base/domain/setting-rule.ts'
import { t } from '../language/text.ts'
import { listed } from '../ui/format.ts'
import { isKind, KINDS } from '../ui/place-kinds.ts'
import { Note } from '../ui/state/Note.tsx'
import { FileDrop } from './FileDrop.tsx'
import { CONTENTS, fileEndings, kindsFor, unfitFile } from './formats.ts'
import { OtherKinds } from './OtherKinds.tsx'

const OBJECTS = t(
  'One row per object with ident, name and any other fields, such as vin, plate_number or an accuracy setting. A row with an existing ident updates that object.',
)
const POSITIONS = t(
  'One row per position with ident, time, latitude, longitude and any other fields, such as speed or ignition.',
)

/** The columns of a file, and its shapes if it is one of places. */
function contentOf(kind: ImportKind): string {
  if (kind === 'objects') return OBJECTS
  if (!isKind(kind)) return POSITIONS
  const optional = Object.entries<Rule>(ITEM_RULES[kind])
    .filter(([, rule]) => rule.optional)
    .map(([name, { says }]) =>
      says.includes('meters')
        ? t('{{field}} (meters)', { field: documentedName(name) })
        : documentedName(name),
    )
  return t(KINDS[kind].shapes, { optional: listed(optional) })
}

type ChooseFileProps = {
  kind: ImportKind
  /** A file that was chosen, which this import does not take. */
  unfit: File | null
  onFile: (file: File) => void
  onKind: (kind: ImportKind) => void
}

export function ChooseFile({ kind, unfit, onFile, onKind }: ChooseFileProps) {
  const [large, setLarge] = useState<File | null>(null)
  const take = (file: File) => {
    const isLarge = file.size > MAX_FILE_BYTES
    setLarge(isLarge ? file : null)
    if (!isLarge) onFile(file)
  }
  const others = unfit === null ? [] : kindsFor(unfit.name)
  return (
    <>
      <p className="soft small">
        {contentOf(kind)} {t('You see how the file is read before anything is imported.')}
      </p>
      <FileDrop label={t('File to import')} endings={fileEndings(kind)} onFile={take} />
      {large !== null && (
        <Note kind="danger" alert>
          {t(
            '{{name}} is larger than the upload limit of {{maxfilebytes}} MiB. Split it into several files, or import it on the server.',
            { name: large.name, maxfilebytes: MAX_FILE_BYTES / 2 ** 20 },
          )}
        </Note>
      )}
      {large === null && unfit !== null && others.length === 0 && (
        <Note kind="danger" alert>
          {unfitFile(unfit.name)}
        </Note>
      )}
      {large === null && unfit !== null && others.length > 0 && (
        <OtherKinds kinds={others} onKind={onKind}>
          {t('This import does not take {{name}}. Such files have other contents: {{others}}.', {
            name: unfit.name,
            others: listed(others.map((each) => CONTENTS[each])),
          })}
        </OtherKinds>
      )}
    </>
  )
}
