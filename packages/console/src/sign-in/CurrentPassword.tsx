import { t } from '../language/text.ts'
import { PasswordField } from '../ui/form/Field.tsx'

type CurrentPasswordProps = { value: string; onChange: (value: string) => void }

/** The password that a change of the own account has to name. */
export function CurrentPassword({ value, onChange }: CurrentPasswordProps) {
  return (
    <PasswordField
      label={t('Current password')}
      name="current"
      autoComplete="current-password"
      value={value}
      onChange={onChange}
      fault={value === '' && t('Enter your current password.')}
    />
  )
}
