import type { ImportKind } from '../../../server/src/base/domain/import-formats.ts'
import { useSavedMappings } from '../api/queries.ts'
import { t } from '../language/text.ts'
import { Time } from '../ui/time/Time.tsx'
import { ChangeMapping } from './ChangeMapping.tsx'

type KeptMappingsProps = { organization: number; kind: ImportKind }

/** Headings that are shown. A file may have hundreds. */
const HEADINGS = 8

/** The choices that the organization keeps for files of a kind. */
export function KeptMappings({ organization, kind }: KeptMappingsProps) {
  const saved = useSavedMappings(organization)
  const mappings = saved.data?.items.filter((each) => each.kind === kind) ?? []
  if (mappings.length === 0) return null
  return (
    <details>
      <summary>
        {t('Saved choices for such files ({{length}})', { length: mappings.length })}
      </summary>
      <p className="soft small">
        {t('A file with these column headings is read with the settings of an earlier import.')}
      </p>
      <ul className="kept-mappings" aria-label={t('Saved import settings')}>
        {mappings.map((mapping) => (
          <li key={mapping.id}>
            <div>
              <strong>{mapping.name}</strong>, <Time value={mapping.saved_at} />
            </div>
            <div className="soft small">{headingsOf(mapping.headings)}</div>
            <ChangeMapping organization={organization} mapping={mapping} />
          </li>
        ))}
      </ul>
    </details>
  )
}

function headingsOf(headings: readonly string[]): string {
  const others = headings.length - HEADINGS
  const shown = headings.slice(0, HEADINGS).join(' · ')
  return others > 0 ? t('{{shown}} and {{others}} more', { shown, others }) : shown
}
