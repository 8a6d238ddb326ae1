import { MIN_LENGTH, strengthOf } from './strength.ts'

export function PasswordStrength({ password }: { password: string }) {
  if (password === '') {
    return `At least ${MIN_LENGTH} characters. Several words with spaces are easy to remember and hard to guess.`
  }
  const { level, advice } = strengthOf(password)
  return <span className={`strength strength-${level}`}>{advice}</span>
}
