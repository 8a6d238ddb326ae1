export { WEEK_MS, weekOf } from '../week.ts'
