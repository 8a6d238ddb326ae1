import { MOTIONS } from '../base/motion.ts'
import { type Palette, rgb } from '../base/palette.ts'
import { setView, VIEW_GLSL, VIEW_UNIFORMS, type View } from '../base/view.ts'
import { type Clusters, clusterRadius, countLabel } from '../fleet/clusters.ts'
import { createGlyphTexture, GLYPHS } from './count-glyphs.ts'
import { choose, column, createProgram, uniformsOf } from './shader-program.ts'

/**
 * The floats of a cluster: high x, y; low x, y; four glyphs of its label; radius; shares of three
 * motions.
 */
const COLUMNS = 12
const NO_GLYPH = -1

const VERTEX = `${VIEW_GLSL}
layout(location = 0) in vec4 place;
layout(location = 1) in vec4 glyphs;
layout(location = 2) in vec4 look;
flat out vec4 v_glyphs;
flat out vec4 v_look;
void main() {
  gl_Position = onScreen(fromMiddle(place, vec2(0.0)));
  gl_PointSize = 2.0 * (look.x + 2.0) * u_ratio;
  v_glyphs = glyphs;
  v_look = look;
}`

/**
 * Draws a circle with its count, and a ring of the shares of each motion, clockwise from the top. Objects
 * without a signal and those of an unknown motion share the last color.
 */
const FRAGMENT = `#version 300 es
precision mediump float;
uniform vec3 u_motion[4];
uniform vec3 u_fill;
uniform vec3 u_text;
uniform vec3 u_halo;
uniform sampler2D u_glyphs;
flat in vec4 v_glyphs;
flat in vec4 v_look;
out vec4 color;
const vec2 GLYPH = vec2(7.5, 15.0);
float label(vec2 px) {
  float length4 = dot(step(vec4(-0.5), v_glyphs), vec4(1.0));
  vec2 at = px / GLYPH + vec2(length4 / 2.0, 0.5);
  if (at.x < 0.0 || at.x >= length4 || at.y < 0.0 || at.y >= 1.0) return 0.0;
  float glyph = v_glyphs[int(at.x)];
  return texture(u_glyphs, vec2((glyph + fract(at.x)) / ${GLYPHS.length.toFixed(1)}, at.y)).a;
}
void main() {
  vec2 px = (gl_PointCoord - 0.5) * 2.0 * (v_look.x + 2.0);
  float away = length(px);
  float radius = v_look.x;
  float turn = fract(atan(px.x, -px.y) / 6.2831853 + 1.0);
  vec3 ends = vec3(v_look.y, v_look.y + v_look.z, v_look.y + v_look.z + v_look.w);
  vec3 share = turn < ends.x ? u_motion[0] : turn < ends.y ? u_motion[1] : turn < ends.z ? u_motion[2] : u_motion[3];
  float inner = clamp(radius - 3.2 - away + 0.5, 0.0, 1.0);
  float ring = clamp(radius - away + 0.5, 0.0, 1.0);
  float halo = clamp(radius + 1.5 - away + 0.5, 0.0, 1.0);
  vec3 ground = mix(mix(u_halo, share, ring), u_fill, inner);
  color = vec4(mix(ground, u_text, label(px) * inner), 1.0) * max(halo, ring);
  if (color.a < 0.01) discard;
}`

export type ClusterPainter = {
  set(clusters: Clusters): void
  draw(view: View, palette: Palette): void
  free(): void
}

export function createClusterPainter(gl: WebGL2RenderingContext): ClusterPainter {
  const program = createProgram(gl, VERTEX, FRAGMENT)
  const uniforms = uniformsOf(gl, program, [
    ...VIEW_UNIFORMS,
    'u_motion',
    'u_fill',
    'u_text',
    'u_halo',
    'u_glyphs',
  ])
  const columns = gl.createBuffer()
  const texture = createGlyphTexture(gl)
  const array = gl.createVertexArray()
  let size = 0

  gl.bindVertexArray(array)
  gl.bindBuffer(gl.ARRAY_BUFFER, columns)
  for (const location of [0, 1, 2]) column(gl, location, 4, COLUMNS, location * 4)
  gl.bindVertexArray(null)

  return {
    set(clusters) {
      size = clusters.size
      gl.bindBuffer(gl.ARRAY_BUFFER, columns)
      gl.bufferData(gl.ARRAY_BUFFER, columnsOf(clusters), gl.DYNAMIC_DRAW)
    },
    draw(view, palette) {
      if (size === 0) return
      choose(gl, program)
      setView(gl, uniforms, view)
      const { moving, idle, stopped, no_signal } = palette.motion
      gl.uniform3fv(uniforms.u_motion, [moving, idle, stopped, no_signal].flatMap(rgb))
      gl.uniform3fv(uniforms.u_fill, rgb(palette.clusterFill))
      gl.uniform3fv(uniforms.u_text, rgb(palette.clusterText))
      gl.uniform3fv(uniforms.u_halo, rgb(palette.halo))
      gl.activeTexture(gl.TEXTURE0)
      gl.bindTexture(gl.TEXTURE_2D, texture)
      gl.uniform1i(uniforms.u_glyphs, 0)
      gl.bindVertexArray(array)
      gl.drawArrays(gl.POINTS, 0, size)
      gl.bindVertexArray(null)
    },
    free() {
      gl.deleteProgram(program)
      gl.deleteBuffer(columns)
      gl.deleteTexture(texture)
      gl.deleteVertexArray(array)
    },
  }
}

function columnsOf(clusters: Clusters): Float32Array<ArrayBuffer> {
  const columns = new Float32Array(clusters.size * COLUMNS)
  for (let at = 0; at < clusters.size; at++) {
    const to = at * COLUMNS
    const x = clusters.x[at]!
    const y = clusters.y[at]!
    const count = clusters.count[at]!
    columns[to] = x
    columns[to + 1] = y
    columns[to + 2] = x - columns[to]!
    columns[to + 3] = y - columns[to + 1]!
    const label = countLabel(count)
    for (let place = 0; place < 4; place++) {
      columns[to + 4 + place] = place < label.length ? GLYPHS.indexOf(label[place]!) : NO_GLYPH
    }
    columns[to + 8] = clusterRadius(count)
    for (let motion = 0; motion < 3; motion++) {
      columns[to + 9 + motion] = clusters.byMotion[at * MOTIONS.length + motion]! / count
    }
  }
  return columns
}
