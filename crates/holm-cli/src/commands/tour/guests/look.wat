;; Lists the folder that it was given, one name a line, folders with a slash. Names that begin with a dot are left out.
(module
    (@custom "holm:tool" "{\"name\":\"look\",\"description\":\"Lists the files of this folder.\",\"schema\":{\"type\":\"object\",\"properties\":{}},\"level\":\"read-only\",\"asks\":[\"read:**\"]}")
    (import "wasi_snapshot_preview1" "fd_readdir" (func $fd_readdir (param i32 i32 i32 i64 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
    (memory (export "memory") 2)
    (data (i32.const 64) "\n/")
    (func $say (param $at i32) (param $length i32)
        (i32.store (i32.const 0) (local.get $at))
        (i32.store (i32.const 4) (local.get $length))
        (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))))
    (func (export "_start")
        (local $cookie i64) (local $at i32) (local $end i32) (local $length i32)
        (loop $pages
            (if (call $fd_readdir (i32.const 3) (i32.const 4096) (i32.const 65536) (local.get $cookie) (i32.const 16))
                (then (call $exit (i32.const 1))))
            (local.set $at (i32.const 4096))
            (local.set $end (i32.add (i32.const 4096) (i32.load (i32.const 16))))
            (block $page
                (loop $entries
                    (br_if $page (i32.gt_u (i32.add (local.get $at) (i32.const 24)) (local.get $end)))
                    (local.set $length (i32.load offset=16 (local.get $at)))
                    (br_if $page
                        (i32.gt_u (i32.add (i32.add (local.get $at) (i32.const 24)) (local.get $length)) (local.get $end)))
                    (local.set $cookie (i64.load (local.get $at)))
                    (if (i32.ne (i32.load8_u offset=24 (local.get $at)) (i32.const 46)) (then
                        (call $say (i32.add (local.get $at) (i32.const 24)) (local.get $length))
                        (if (i32.eq (i32.load8_u offset=20 (local.get $at)) (i32.const 3))
                            (then (call $say (i32.const 65) (i32.const 1))))
                        (call $say (i32.const 64) (i32.const 1))))
                    (local.set $at (i32.add (i32.add (local.get $at) (i32.const 24)) (local.get $length)))
                    (br $entries)))
            ;; A page that is full has another one behind it.
            (br_if $pages (i32.eq (i32.load (i32.const 16)) (i32.const 65536))))))
