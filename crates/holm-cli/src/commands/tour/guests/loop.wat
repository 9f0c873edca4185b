;; Hostile: never comes to an end.
(module
    (@custom "holm:tool" "{\"name\":\"think\",\"description\":\"Says that it thinks. In truth it never ends.\",\"schema\":{\"type\":\"object\",\"properties\":{}},\"level\":\"none\"}")
    (memory (export "memory") 1)
    (func (export "_start") (loop $for-ever (br $for-ever))))
