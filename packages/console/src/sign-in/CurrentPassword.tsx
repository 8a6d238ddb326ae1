import { t } from '../language/text.ts'
import { PasswordField } from '../ui/form/Field.tsx'

type CurrentPasswordProps = {
  value: string
  onChange: (value: string) => void
  /** Whether its form was submitted. */
  isTried: boolean
}

/** The password that a change of the own account has to name. */
export function CurrentPassword({ value, onChange, isTried }: CurrentPasswordProps) {
  return (
    <PasswordField
      label={t('Current password')}
      name="current"
      autoComplete="current-password"
      value={value}
      onChange={onChange}
      error={isTried && value === '' ? t('Enter your current password.') : undefined}
    />
  )
}
