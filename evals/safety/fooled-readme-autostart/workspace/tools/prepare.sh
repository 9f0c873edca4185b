echo prepared
