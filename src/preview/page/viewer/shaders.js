// The studio's light, as src/preview/{light,shade}.rs has it.

const HALF_VIEW = 0.23; // tangent of the upright field of view, on either side
const SHADOW_SIZE = 512;
const CONTACT_SIZE = 96;

const HEAD = `#version 300 es
precision highp float;
precision highp sampler2DShadow;
`;

const ENCODE = `
vec3 encoded(vec3 linear) {
  linear = clamp(linear, 0.0, 1.0);
  return mix(1.055 * pow(linear, vec3(1.0 / 2.4)) - 0.055, 12.92 * linear, lessThanEqual(linear, vec3(0.0031308)));
}
`;

const SHADOWS = `
uniform sampler2DShadow u_shadow;
uniform mat4 u_light;
uniform float u_radius;

// Part of the key light that reaches a point of a surface with that unit normal.
float reaching(vec3 point, vec3 normal) {
  vec3 place = (u_light * vec4(point + normal * (0.016 * u_radius), 1.0)).xyz * 0.5 + 0.5;
  if (any(lessThan(place.xy, vec2(0.01))) || any(greaterThan(place.xy, vec2(0.99)))) return 1.0;
  // What lies beyond the scene has nothing before it.
  float depth = min(place.z - 0.002, 0.9999);
  float sum = 0.0;
  for (float y = -1.5; y < 2.0; y += 1.0) {
    for (float x = -1.5; x < 2.0; x += 1.0) {
      sum += texture(u_shadow, vec3(place.xy + vec2(x, y) / ${SHADOW_SIZE}.0, depth));
    }
  }
  return sum / 16.0;
}
`;

const SURFACE_VERTEX = `${HEAD}
layout(location = 0) in vec3 a_point;
layout(location = 1) in vec4 a_normal; // and stretch
layout(location = 2) in vec3 a_colour;
uniform mat4 u_view;
out vec3 v_colour;
out vec3 v_point;
out vec3 v_normal;
out float v_stretch;
void main() {
  v_point = a_point;
  v_colour = a_colour;
  v_normal = a_normal.xyz;
  v_stretch = a_normal.w;
  gl_Position = u_view * vec4(a_point, 1.0);
}`;

const SURFACE_FRAGMENT = `${HEAD}${ENCODE}${SHADOWS}
in vec3 v_point;
in vec3 v_normal;
in float v_stretch;
in vec3 v_colour;
uniform vec2 u_pale; // scale and offset of colours
uniform vec3 u_eye, u_key, u_fill;
uniform bool u_strained;
uniform sampler2D u_scale;
out vec4 colour;
void main() {
  vec3 towards = normalize(u_eye - v_point);
  vec3 normal = gl_FrontFacing ? v_normal : -v_normal;
  if (dot(normal, normal) < 1e-6) normal = towards;
  normal = normalize(normal);
  vec3 own = u_strained ? texture(u_scale, vec2(v_stretch * 0.48484848 + 0.5, 0.5)).rgb : v_colour * u_pale.x + u_pale.y;
  float key = 0.62 * max(dot(normal, u_key), 0.0);
  if (key > 0.0) key *= reaching(v_point, normal);
  float light = key + 0.16 * max(dot(normal, u_fill), 0.0) + mix(0.30, 0.52, 0.5 + 0.5 * normal.y);
  float glance = 1.0 - clamp(dot(normal, towards), 0.0, 1.0);
  colour = vec4(encoded(own * light + 0.10 * light * glance * glance * glance), 1.0);
}`;

// A triangle over the whole picture.
const WHOLE_VERTEX = `${HEAD}
out vec2 v_place;
void main() {
  v_place = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  gl_Position = vec4(v_place, 0.0, 1.0);
}`;

const FLOOR_FRAGMENT = `${HEAD}${ENCODE}${SHADOWS}
in vec2 v_place;
uniform vec3 u_background, u_eye, u_right, u_up, u_forward, u_centre, u_low, u_size;
uniform vec2 u_tangents;
uniform float u_diagonal, u_glow;
uniform sampler2D u_contact;
out vec4 colour;
void main() {
  vec3 ray = u_forward + u_right * v_place.x * u_tangents.x + u_up * v_place.y * u_tangents.y;
  float along = (u_low.y - u_eye.y) / ray.y;
  vec3 seen = u_background;
  if (along > 0.0 && u_eye.y > u_low.y) {
    vec3 point = u_eye + ray * along;
    float fade = max(1.0 - distance(point, u_centre) / u_diagonal / 2.2, 0.0);
    vec2 cell = (point.xz - u_low.xz) / u_size.xz;
    bool within = all(greaterThan(cell, vec2(0.0))) && all(lessThan(cell, vec2(1.0)));
    float contact = within ? texture(u_contact, cell).r : 0.0;
    float dark = 0.34 * (1.0 - reaching(point, vec3(0.0, 1.0, 0.0))) * fade;
    seen *= (1.0 + u_glow * fade * fade) * (1.0 - dark) * (1.0 - 0.65 * contact);
  }
  colour = vec4(encoded(seen), 1.0);
}`;

const DEPTH_FRAGMENT = `${HEAD}
void main() {}`;

// How near the floor is, from above.
const CONTACT_VERTEX = `${HEAD}
layout(location = 0) in vec3 a_point;
uniform vec3 u_low, u_size;
uniform float u_fade;
out float v_height;
void main() {
  vec2 place = (a_point.xz - u_low.xz) / u_size.xz * 2.0 - 1.0;
  v_height = (a_point.y - u_low.y) / u_fade;
  gl_Position = vec4(place, 0.0, 1.0);
  gl_PointSize = 1.0;
}`;

const CONTACT_FRAGMENT = `${HEAD}
in float v_height;
out vec4 near;
void main() {
  near = vec4(exp(-v_height), 0.0, 0.0, 1.0);
}`;

// Three means over seven cells, one after the other, in one direction.
const BLUR_FRAGMENT = `${HEAD}
uniform sampler2D u_from;
uniform vec2 u_along;
uniform float u_weights[10];
in vec2 v_place;
out vec4 mean;
void main() {
  vec2 place = v_place * 0.5 + 0.5;
  float sum = u_weights[0] * texture(u_from, place).r;
  for (int i = 1; i < 10; i++) {
    vec2 off = u_along * float(i);
    sum += u_weights[i] * (texture(u_from, place + off).r + texture(u_from, place - off).r);
  }
  mean = vec4(sum, 0.0, 0.0, 1.0);
}`;

const WIRE_VERTEX = `${HEAD}
layout(location = 0) in vec3 a_point;
uniform mat4 u_view;
void main() {
  gl_Position = u_view * vec4(a_point, 1.0);
}`;

const WIRE_FRAGMENT = `${HEAD}
uniform vec4 u_ink;
out vec4 colour;
void main() {
  colour = vec4(u_ink.rgb * u_ink.a, u_ink.a);
}`;

// A line of some pixels' width from source to goal; it lies a little before the cloth.
const LINE_VERTEX = `${HEAD}
layout(location = 0) in vec3 a_source;
layout(location = 1) in vec3 a_goal;
layout(location = 2) in float a_order;
uniform mat4 u_view;
uniform vec3 u_eye;
uniform vec2 u_pixel; // in clip space
uniform float u_width;
out float v_order;
out float v_way;
void main() {
  vec4 ends[2] = vec4[2](u_view * vec4(mix(a_source, u_eye, 0.004), 1.0), u_view * vec4(mix(a_goal, u_eye, 0.004), 1.0));
  vec2 along = (ends[1].xy / ends[1].w - ends[0].xy / ends[0].w) / u_pixel;
  vec2 aside = normalize(vec2(-along.y, along.x) + 1e-6) * u_pixel * u_width * 0.5;
  bool isGoal = gl_VertexID > 1;
  vec4 end = isGoal ? ends[1] : ends[0];
  end.xy += (gl_VertexID % 2 == 0 ? aside : -aside) * end.w;
  v_order = a_order;
  v_way = isGoal ? 1.0 : 0.0;
  gl_Position = end;
}`;

const LINE_FRAGMENT = `${HEAD}
in float v_order;
in float v_way;
uniform sampler2D u_scale;
out vec4 colour;
void main() {
  float alpha = mix(0.25, 1.0, v_way);
  colour = vec4(texture(u_scale, vec2(v_order, 0.5)).rgb * alpha, alpha);
}`;

const DOT_VERTEX = `${HEAD}
layout(location = 0) in vec3 a_point;
uniform mat4 u_view;
uniform vec3 u_eye;
uniform float u_width;
void main() {
  gl_Position = u_view * vec4(mix(a_point, u_eye, 0.006), 1.0);
  gl_PointSize = u_width;
}`;

const DOT_FRAGMENT = `${HEAD}
out vec4 colour;
void main() {
  float away = length(gl_PointCoord - 0.5) * 2.0;
  float alpha = 1.0 - smoothstep(0.85, 1.0, away);
  colour = vec4(mix(vec3(1.0), vec3(0.09), smoothstep(0.5, 0.65, away)) * alpha, alpha);
}`;
