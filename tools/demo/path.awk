# A table of states: the three joints of an arm move from rest to rest along the fifth-order polynomial
#   q(t) = q0 + (q1 - q0) (10 s³ - 15 s⁴ + 6 s⁵),  s = t/T.
BEGIN {
  split("-60 25 -70", from); split("75 -20 60", to)  # [deg]
  T = 0.9; rows = 901; deg = atan2(0, -1) / 180
  print "t,q1,q2,q3,v1,v2,v3,a1,a2,a3"
  for (k = 0; k < rows; ++k) {
    s = k / (rows - 1)
    position = s^3 * (10 - 15 * s + 6 * s^2)
    velocity = 30 * s^2 * (1 - s)^2 / T
    acceleration = 60 * s * (1 - s) * (1 - 2 * s) / T^2
    q = v = a = ""
    for (i = 1; i <= 3; ++i) {
      way = (to[i] - from[i]) * deg
      q = q sprintf(",%.17g", from[i] * deg + way * position)
      v = v sprintf(",%.17g", way * velocity)
      a = a sprintf(",%.17g", way * acceleration)
    }
    printf "%.17g%s%s%s\n", T * s, q, v, a
  }
}
