import { useServer } from '../api/queries.ts'
import { t } from '../language/text.ts'
import { ComboField } from '../ui/form/Field.tsx'
import { Note } from '../ui/state/Note.tsx'

type LocalTimesProps = {
  /** The time zones in which times without a zone are read, unless one is chosen. */
  zones: readonly string[]
  value: string
  onChange: (timezone: string) => void
}

/** The time zone of times that name none. The zone of an object is right only for its own clock. */
export function LocalTimes({ zones, value, onChange }: LocalTimesProps) {
  const server = useServer()
  return (
    <>
      {zones.length > 0 && (
        <Note kind="warn">
          {t(
            'Times in the file have no time zone and are read as {{value}}. If they are in another time zone, choose it below.',
            { value: zones.join(', ') },
          )}
        </Note>
      )}
      <ComboField
        label={t('Time zone')}
        placeholder={zones.join(', ')}
        help={t('For times without a time zone.')}
        options={server.data?.time_zones ?? []}
        value={value}
        onChange={(timezone) => onChange(timezone.trim())}
      />
    </>
  )
}
