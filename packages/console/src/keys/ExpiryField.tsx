import { t } from '../language/text.ts'
import { SelectField, TextField } from '../ui/form/Field.tsx'
import { besideDay, dayOf } from '../ui/time/days.ts'
import { useUtc } from '../ui/time/time-zone.ts'
import { type Expiry, isChosen } from './expiry.ts'

const CHOICES: [Expiry['choice'], string][] = [
  ['30', t('In 30 days')],
  ['90', t('In 90 days')],
  ['365', t('In a year')],
  ['day', t('On a date…')],
  ['never', t('Never')],
]

/** The field may be below the edge of the dialog. */
function inSight(field: HTMLElement | null): void {
  field?.scrollIntoView({ block: 'nearest' })
}

type ExpiryFieldProps = { value: Expiry; onChange: (value: Expiry) => void }

export function ExpiryField({ value, onChange }: ExpiryFieldProps) {
  const [utc] = useUtc()
  const today = dayOf(Date.now(), utc)
  return (
    <div className="stack-small">
      <SelectField
        label={t('Expires')}
        name={value.choice === 'day' ? undefined : 'expires_at'}
        options={CHOICES}
        value={value.choice}
        onChange={(choice) => onChange({ choice, day: value.day || besideDay(today, 30) })}
      />
      {value.choice === 'day' && (
        <div ref={inSight}>
          <TextField
            label={t('Last day')}
            name="expires_at"
            type="date"
            min={today}
            value={value.day}
            onChange={(day) => onChange({ ...value, day })}
            help={
              utc
                ? t('Expires at the end of this day (UTC).')
                : t('Expires at the end of this day.')
            }
            fault={!isChosen(value) && t('Choose a date.')}
          />
        </div>
      )}
    </div>
  )
}
