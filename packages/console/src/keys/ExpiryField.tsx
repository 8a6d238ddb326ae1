import { useId } from 'react'
import { SelectField, TextField } from '../ui/Field.tsx'

export type Expiry = { choice: 'never' | '30' | '90' | '365' | 'day'; day: string }

export const NEVER: Expiry = { choice: 'never', day: '' }

const CHOICES: [Expiry['choice'], string][] = [
  ['never', 'Never'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
  ['day', 'On a day…'],
]

const DAY_MS = 86_400_000

type ExpiryFieldProps = { value: Expiry; onChange: (value: Expiry) => void }

export function ExpiryField({ value, onChange }: ExpiryFieldProps) {
  const id = useId()
  return (
    <div className="stack-small" id={id}>
      <SelectField
        label="Ends"
        name={value.choice === 'day' ? undefined : 'expires_at'}
        options={CHOICES}
        value={value.choice}
        onChange={(choice) => onChange({ ...value, choice })}
      />
      {value.choice === 'day' && (
        <TextField
          label="Last day"
          name="expires_at"
          type="date"
          min={new Date(Date.now()).toISOString().slice(0, 10)}
          value={value.day}
          onChange={(day) => onChange({ ...value, day })}
          help="It ends when this day is over where you are."
        />
      )}
    </div>
  )
}

export function expiresAt({ choice, day }: Expiry, now: number): string | null {
  if (choice === 'never' || (choice === 'day' && day === '')) return null
  if (choice !== 'day') return new Date(now + Number(choice) * DAY_MS).toISOString()
  const end = new Date(`${day}T00:00:00`)
  end.setDate(end.getDate() + 1)
  return end.toISOString()
}
